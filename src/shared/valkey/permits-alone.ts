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
 * The pace of a replica while the server is away. The limit is divided into time slots, which the replicas have in turn
 * by the server's clock, so that together they stay within it without communicating.
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
/** How late a slot can still be used; after that it is lost. */
const MAX_SLOT_DELAY_MS = 20;

export function createAlone(clock: ServerClock, monotonic: Clock): Alone {
  let standing: Standing | undefined;
  let notBefore = -Infinity;
  let hasGiven = false;

  const pause = (ms: number) => void (notBefore = Math.max(notBefore, clock.now() + ms));

  /** Returns the first slot of this replica at `from` or later. */
  function slotFrom(from: number, { limit, replicas, rank }: Standing): number {
    const intervalMs = SHARED_WINDOW_MS / limit;
    const roundMs = intervalMs * replicas;
    const first = rank * intervalMs;
    return first + Math.ceil((from - first) / roundMs) * roundMs;
  }

  function take(): Granted | undefined {
    if (!standing || standing.limit === Infinity) return undefined;
    const now = clock.now();
    const slot = slotFrom(Math.max(now - MAX_SLOT_DELAY_MS, notBefore), standing);
    if (slot > now) return { permits: [], nextAt: clock.toMonotonic(slot) };
    notBefore = slot + SHARED_WINDOW_MS / standing.limit / 2;
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
