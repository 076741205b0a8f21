import { type Account, CLOSED_MS, type Ended, isClosed } from './account.ts';

/** What a balance stated by the upstream shows about the units that were counted. */

/**
 * Returns the cost of a request whose answer states one: no more than the balance has fallen since the last one that
 * arrived before the request left, even if others spend from it, too. A balance that has not fallen shows nothing:
 * units were bought.
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
 * Returns for how many more requests the stated balance pays, of `cost` units each. `underWay`: the number of requests in
 * flight; the balance does not include those that left after it came, which are taken to cost a unit each. If it is too
 * small for one, one is sent all the same: units may have been bought, and else the upstream refuses it at no cost, which
 * closes the meter. But none is sent for a minute after a request without an answer, which closes nothing.
 */
export function paidByBalance(
  account: Account,
  cost: number,
  { underWay, now }: { underWay: number; now: number },
): number {
  const { remaining, lastSent, balanceAt, lateUntil } = account;
  if (remaining === null || isClosed(account)) return Infinity;
  const notIncluded = Math.min(underWay, lastSent - balanceAt);
  const mayTry = remaining > 0 && notIncluded === 0 && Math.abs(now - lateUntil) >= CLOSED_MS;
  return Math.max(mayTry ? 1 : 0, Math.floor((remaining - notIncluded) / cost));
}

/**
 * Whether the balance includes everything that counts as spent: its request left after the end of every request that
 * may have been charged and stated no balance. Requests in flight are not considered. After a refusal for lack of
 * units, the balance of the account is 0, whatever was stated.
 */
export const includesAllSpent = (
  { unstatedAt }: Account,
  { sentAs, remaining, exhausted }: Ended,
): boolean => remaining !== undefined && !exhausted && sentAs > unstatedAt;

/** How long a shortage must last if other processes count, too: they may have spent units that are not counted yet. */
export const SHORT_MS = 3000;

/**
 * Highest total that is compared, in units: the JSON of a server keeps 14 digits of a number. An upstream may state a huge
 * balance that means "unlimited".
 */
export const MAX_COMPARED = 1e14;

/** When a balance arrived (store time), and whether no other process counts in this account. */
interface Circumstances {
  now: number;
  isAlone: boolean;
}

/**
 * Returns what a balance is compared with; undefined if the next one only starts a comparison. If none was compared
 * yet, or an older version has stored the account, its total serves instead, as long as nobody else spends.
 */
const lastCompared = ({ compared, total, isSpentElsewhere }: Account): Account['compared'] =>
  compared ?? (total === null || isSpentElsewhere ? undefined : { total, counted: 0 });

/**
 * Returns what the next balance is compared with after `late` units were reported late: the highest total. The last
 * balance may have included them, and so have seemed to show that as many time-outs were charged: these are uncertain
 * again.
 */
export const comparedAnew = (
  { compared, total, isSpentElsewhere }: Account,
  late: number,
): Account['compared'] =>
  !compared || total === null || isSpentElsewhere
    ? undefined
    : { total, counted: Math.max(0, compared.counted - late) };

/** Returns the units that count as spent, though no balance has shown yet whether they were charged. */
export const uncertainUnits = (account: Account): number =>
  account.timeouts.counted - (lastCompared(account)?.counted ?? 0);

/**
 * Compares the count with the balance, and corrects it: requests that timed out were charged, or were not. The first
 * time that units are neither left nor spent by this gateway, returns how many; otherwise 0. Only to be called while no
 * request is in flight, with a balance that includes everything (`includesAllSpent`). `sentAs`: number of the request
 * whose answer stated it.
 *
 * Others who spend can only make a balance fall further: if it has fallen by less than was counted since the last
 * comparison, the difference was not charged, whoever spends. If it has fallen by more, that is taken for a charge of
 * this gateway only if nobody else spends.
 */
export function compareWithBalance(
  account: Account,
  { sentAs }: Pick<Ended, 'sentAs'>,
  { now, isAlone }: Circumstances,
): number {
  const { remaining, timeouts } = account;
  if (remaining === null) return 0;
  const total = account.used + remaining;
  if (total > MAX_COMPARED) return 0;
  const before = lastCompared(account);
  const more = total - (before?.total ?? total);
  // Requests that seem not to have been charged may still be.
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

/**
 * Returns the units not charged, if `more` is left than expected. If that exceeds the uncertain units (`counted`),
 * units were bought.
 */
const notCharged = (counted: number, more: number): number => (more <= counted ? more : 0);
