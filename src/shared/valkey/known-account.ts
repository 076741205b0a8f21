import { type Account, newAccount } from '../account.ts';
import type { Counted } from '../units.ts';
import { counterField, createKnownCounters, type KnownCounters } from './known-counters.ts';

/** What a process knows of an account on a server, and tells it if it has lost that. */

/** An account, with the epoch of the server and the version in which it is known. */
interface Seen extends Account {
  epoch: string;
  version: number;
}

/** What is known of an account and the counters of its clients. */
export interface Known {
  seen: Seen | undefined;
  /** Number of the last change of the counters up to which none was missed (counters-script.ts). */
  bookings: number;
  counters: KnownCounters;
  /** The epoch in which the server asked last what is known; undefined once that epoch has lasted for two seconds. */
  askedIn: string | undefined;
}

/**
 * Returns what was counted as if known from an earlier epoch: so the server is told of it, and takes the larger of both
 * counts for that time, however often it is told. Balances and the like are learned anew: those in an old file may be
 * wrong by now.
 */
export function knownOf({ id, used, counters }: Counted): Known {
  const known = nothingKnown(id.month);
  known.counters.note(Object.fromEntries(counters.map((one) => [counterField(one), one.used])), 0);
  known.seen = { ...newAccount(), used, epoch: '', version: 0 };
  return known;
}

export const nothingKnown = (month: string): Known => ({
  seen: undefined,
  bookings: 0,
  counters: createKnownCounters(month),
  askedIn: undefined,
});

/**
 * Notes that the server asks in this epoch what is known; returns whether it has at once lost what it was told when it
 * asked last. It is not told a second time: a server whose memory is full may evict everything again and again.
 */
export function noteAsking(known: Known, epoch: string): boolean {
  const { askedIn } = known;
  known.askedIn = epoch;
  return askedIn !== undefined && askedIn !== epoch;
}
