import type { Aging } from '../../src/spending/lifetimes.ts';
import type { Clock } from '../../src/time.ts';

/** Data whose times to live are never stretched age in real time. */
export const unstretched = (monotonic: Clock): Aging => ({
  now: monotonic,
  stretch: () => 1,
  patience: () => 1,
  mayRefresh: () => true,
  monotonicAt: (instant) => instant,
  since: (ageMs) => monotonic() - ageMs,
  noteRequest: () => undefined,
});
