import type { Account, Ended } from './account.ts';

/** What a balance that the upstream states says of what was counted. */

/**
 * What a request has cost whose answer states it: no more than what the balance has fallen by since the last one that came
 * before the request left, whoever else has spent of it. One that has not fallen tells nothing: units were bought.
 */
export function costByBalance(
  { remaining: before, balanceAt }: Account,
  { sentAs, units, remaining }: Pick<Ended, 'sentAs' | 'units' | 'remaining'>,
): number {
  if (before === null || remaining === undefined || sentAs <= balanceAt) return units;
  const fall = before - remaining;
  return fall > 0 ? Math.min(units, fall) : units;
}

/**
 * Whether the balance includes all that counts as spent: the request that stated it left after all others had ended
 * of which nobody knows whether they were charged before or after it. Requests that are under way are not looked at.
 */
export const tellsAll = ({ unstatedAt }: Account, { sentAs, remaining }: Ended): boolean =>
  remaining !== undefined && sentAs > unstatedAt;

/** Where other processes count, too: so long a shortage must last, since they may have spent what is not counted yet. */
export const SHORT_MS = 3000;

/** When a balance came, in the store's time, and whether no other process counts in this account. */
interface Circumstances {
  now: number;
  isAlone: boolean;
}

/**
 * Compares the count with the balance, and corrects it: requests that timed out were charged, or were
 * not. Returns the units that are neither left nor spent by us; it does so once. Only to be called
 * while no request is under way, with a balance that tells all. `sentAs`: the number of the request that stated it.
 */
export function compareWithBalance(
  account: Account,
  { sentAs }: Pick<Ended, 'sentAs'>,
  { now, isAlone }: Circumstances,
): number {
  const { remaining, timeouts } = account;
  if (remaining === null) return 0;
  const total = account.used + remaining;
  if (!Number.isSafeInteger(total)) return 0;
  const more = total - (account.total ?? total);
  // What seems not to have been charged may be charged yet.
  if ((more > 0 || account.total === null) && sentAs <= account.lateAt) return 0;
  if (account.isSpentElsewhere) {
    // More than ever: units were bought, of which others may spend, too. Time-outs are told by the balance no more.
    account.total = Math.max(total, account.total ?? total);
    return 0;
  }
  const isShort = more < -timeouts.free;
  account.shortSince = isShort ? Math.min(account.shortSince ?? now, now) : null;
  if (account.shortSince !== null && !isAlone && now - account.shortSince < SHORT_MS) return 0;
  const units = more < 0 ? Math.min(-more, timeouts.free) : -notCharged(timeouts.counted, more);
  timeouts.counted += units;
  timeouts.free -= units;
  account.used += units;
  account.total = Math.max(total + units, account.total ?? -Infinity);
  const elsewhere = account.total - (total + units);
  account.isSpentElsewhere = elsewhere > 0;
  return elsewhere;
}

/** `more` is left than was expected. Where that is more than all time-outs, units were bought. */
const notCharged = (counted: number, more: number): number => (more <= counted ? more : 0);
