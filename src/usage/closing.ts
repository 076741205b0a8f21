import { CLOSED_MS } from '../shared/account.ts';
import type { Clock } from '../time.ts';

/** Tracks how long a closed meter stays closed, by the monotonic clock, since the wall clock may be set. */
export function createClosing(now: Clock, monotonic: Clock) {
  let known = 0;
  let until = -Infinity;
  return {
    /** Takes over `closedUntil` from the store: a changed value means that the meter was closed or opened. */
    note(closedUntil: number): void {
      if (closedUntil === known) return;
      known = closedUntil;
      const ms = Math.min(CLOSED_MS, Math.max(0, closedUntil - now()));
      until = closedUntil <= 0 ? -Infinity : monotonic() + ms;
    },
    isOver: () => monotonic() >= until,
  };
}
