import type { Clock } from '../../time.ts';
import type { ServerClock } from './clock.ts';
import { type Permit, type Granted, SHARED_WINDOW_MS } from '../permits.ts';

/** What a replica knows of all replicas when the server goes away. */
export interface Standing {
  /** Permits per second; Infinity if no limit is known. */
  limit: number;
  replicas: number;
  /** How many of them come before this one. */
  rank: number;
}

/**
 * The pace of a replica while the server is away. The limit is divided into moments, which the replicas have in turn by
 * the server's clock, so that together they stay within it without communicating.
 */
interface Alone {
  /** The server is away. Begins with a pause of a second: others may have got permits from it until now. */
  begin(standing: Standing): void;
  /** The server is back. */
  end(): void;
  take(): Granted | undefined;
  pause(ms: number): void;
  /** Whether permits were given since it began. */
  hasGiven(): boolean;
}

/** Id of the permits given while the server is away. */
export const ALONE = 'alone';
/** How late a moment can still be used; after that it is lost. */
const MOMENT_LOST_MS = 20;

export function createAlone(clock: ServerClock, monotonic: Clock): Alone {
  let standing: Standing | undefined;
  let notBefore = -Infinity;
  let hasGiven = false;

  const pause = (ms: number) => void (notBefore = Math.max(notBefore, clock.now() + ms));

  /** Returns the first moment of this replica at `from` or later. */
  function momentFrom(from: number, { limit, replicas, rank }: Standing): number {
    const apart = SHARED_WINDOW_MS / limit;
    const round = apart * replicas;
    const first = rank * apart;
    return first + Math.ceil((from - first) / round) * round;
  }

  function take(): Granted | undefined {
    if (!standing || standing.limit === Infinity) return undefined;
    const now = clock.now();
    const moment = momentFrom(Math.max(now - MOMENT_LOST_MS, notBefore), standing);
    if (moment > now) return { permits: [], nextAt: clock.toMonotonic(moment) };
    notBefore = moment + SHARED_WINDOW_MS / standing.limit / 2;
    hasGiven = true;
    const permit: Permit = { at: now, earlier: 0, id: ALONE };
    return { permits: [permit], nextAt: monotonic() };
  }

  return {
    begin(known) {
      if (standing) return;
      standing = known;
      pause(SHARED_WINDOW_MS);
    },
    end() {
      standing = undefined;
      hasGiven = false;
    },
    take,
    pause,
    hasGiven: () => hasGiven,
  };
}
