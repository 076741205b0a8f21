import type { Maybe } from '../maybe.ts';
import type { Permit, Granted, Permits } from '../shared/permits.ts';
import type { Clock } from '../time.ts';
import { createLearnedLimit } from './learned-limit.ts';

/** Time in which the limit holds: a second, and a little more since requests do not all travel equally fast. */
export const WINDOW_MS = 1050;
/** How long a permit is valid. A request that is sent later needs a new one: others have been given permits since. */
export const PERMIT_VALID_MS = WINDOW_MS - 1000;

/** Where a rate limiter gets its permits (Permits describes each method). */
export interface Pace extends Omit<Permits, 'take' | 'close'> {
  take(wanted: number): Maybe<Granted>;
}

/** The pace of one process that shares its limit with no other, or with its own workers only (workers/permits.ts). */
export function createPace(perSecond: number, monotonic: Clock): Pace {
  const learned = createLearnedLimit(perSecond, monotonic);
  let refusedUntil = -Infinity;
  /** The permits of the last second, each with the time when it was given or, once known, used; earliest first. */
  let given: { permit: Permit; at: number }[] = [];

  function nextAt(): number {
    const oldest = given.at(-learned.limit())?.at ?? -Infinity;
    return Math.max(monotonic(), refusedUntil, oldest + WINDOW_MS);
  }

  /** How many permits may be given now. */
  function room(): number {
    const begin = monotonic() - WINDOW_MS;
    given = given.filter(({ at }) => at > begin);
    return monotonic() < refusedUntil ? 0 : Math.max(0, learned.limit() - given.length);
  }

  function give(wanted: number): Permit[] {
    return Array.from({ length: Math.min(wanted, room()) }, () => {
      const permit = { at: monotonic(), earlier: given.length };
      given.push({ permit, at: permit.at });
      return permit;
    });
  }

  const forget = (permit: Permit) => void (given = given.filter((one) => one.permit !== permit));

  return {
    take(wanted) {
      const permits = give(wanted);
      const isHeldBack = permits.length < wanted && monotonic() >= refusedUntil;
      if (isHeldBack && learned.raise()) permits.push(...give(wanted - permits.length));
      return { permits, nextAt: nextAt() };
    },
    leave: () => undefined,
    giveBack: forget,
    noteRefused(permit, waitMs) {
      refusedUntil = Math.max(refusedUntil, monotonic() + waitMs);
      learned.noteRefused(permit);
    },
    isLate: ({ at }) => learned.limit() !== Infinity && monotonic() - at > PERMIT_VALID_MS,
    limit: learned.limit,
    noteSent(permit) {
      forget(permit);
      given.push({ permit, at: monotonic() });
    },
    noteAnswered: () => undefined,
    onRoom: () => undefined,
  };
}

/** The pace that all replicas share; while it is not available, this process keeps its own. */
export function createCommonPace(common: Permits, own: Pace): Pace {
  const giverOf = ({ id }: Permit) => (id === undefined ? own : common);
  return {
    ...common,
    take: async (wanted) => (await common.take(wanted)) ?? own.take(wanted),
    giveBack: (permit) => giverOf(permit).giveBack(permit),
    noteRefused: (permit, waitMs) => giverOf(permit).noteRefused(permit, waitMs),
    isLate: (permit) => giverOf(permit).isLate(permit),
    noteSent: (permit) => giverOf(permit).noteSent(permit),
    noteAnswered: (permit) => giverOf(permit).noteAnswered(permit),
    limit: () => Math.min(common.limit(), own.limit()),
  };
}
