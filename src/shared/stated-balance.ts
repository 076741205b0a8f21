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
 * Where it was refused for lack of units the account says 0, whatever was stated.
 */
export const tellsAll = (
  { unstatedAt }: Account,
  { sentAs, remaining, exhausted }: Ended,
): boolean => remaining !== undefined && !exhausted && sentAs > unstatedAt;

/** Where other processes count, too: so long a shortage must last, since they may have spent what is not counted yet. */
export const SHORT_MS = 3000;

/** When a balance came, in the store's time, and whether no other process counts in this account. */
interface Circumstances {
  now: number;
  isAlone: boolean;
}

/**
 * What a balance is compared with: undefined where the next one only begins a comparison. What an older version has
 * stored lacks it: there the total tells, as long as nobody else spends.
 */
const lastCompared = ({ compared, total, isSpentElsewhere }: Account): Account['compared'] =>
  compared ?? (total === null || isSpentElsewhere ? undefined : { total, counted: 0 });

/** Units that count as spent, and of which no balance has told yet whether they were charged. */
export const uncertainUnits = (account: Account): number =>
  account.timeouts.counted - (lastCompared(account)?.counted ?? 0);

/**
 * Compares the count with the balance, and corrects it: requests that timed out were charged, or were
 * not. Returns the units that are neither left nor spent by us; it does so once. Only to be called
 * while no request is under way, with a balance that tells all. `sentAs`: the number of the request that stated it.
 *
 * Others who spend can only make a balance fall further: where it has fallen by less than was counted since the last
 * comparison, the rest was not charged, whoever spends. A fall that is too large is ours only where nobody else spends.
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
  const before = lastCompared(account);
  const more = total - (before?.total ?? total);
  // What seems not to have been charged may be charged yet.
  if ((more > 0 || !before) && sentAs <= account.lateAt) return 0;
  const free = account.isSpentElsewhere ? 0 : timeouts.free;
  const isShort = more < -free;
  account.shortSince = isShort ? Math.min(account.shortSince ?? now, now) : null;
  if (account.shortSince !== null && !isAlone && now - account.shortSince < SHORT_MS) return 0;
  const units = more < 0 ? Math.min(-more, free) : -notCharged(uncertainUnits(account), more);
  timeouts.counted += units;
  timeouts.free -= units;
  account.used += units;
  account.compared = { total: total + units, counted: timeouts.counted };
  account.total = Math.max(total + units, account.total ?? -Infinity);
  if (account.isSpentElsewhere) return 0;
  const elsewhere = account.total - (total + units);
  account.isSpentElsewhere = elsewhere > 0;
  return elsewhere;
}

/** `more` is left than was expected. Where that is more than all time-outs since then, units were bought. */
const notCharged = (counted: number, more: number): number => (more <= counted ? more : 0);
