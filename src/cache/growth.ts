import type { Span } from '../time.ts';
import type { Line } from '../upstream/line.ts';
import { lengthOf, planRequests, subtract } from './spans.ts';
import type { WantedDays } from './wanted-days.ts';

/** How many days a request may ask for on the line that its answer comes over. */
export interface Growth {
  /** What is asked for together, by whomever: as much as comes in time. */
  together(key: string): number;
  /** What is asked for beside `needed`, which nobody waits for: as much as makes its answer little later. */
  beside(key: string, needed: Span): number;
  /**
   * What to ask for instead of a request that did not come in time: what is needed, and only the first parts of it where
   * all together would be late again. The others are asked for next.
   */
  instead(key: string, wanted: WantedDays): WantedDays;
}

/** What is known of a dataset's days. */
interface DayLimit {
  maxDays(key: string): number;
  bytesPerDay(key: string): number;
}

export function createGrowth(line: Line, { maxDays, bytesPerDay }: DayLimit): Growth {
  const daysIn = (key: string, bytes: number) => Math.floor(bytes / bytesPerDay(key));
  const together = (key: string) =>
    Math.max(1, Math.min(maxDays(key), daysIn(key, line.bytesInTime())));
  return {
    together,
    beside: (key, needed) =>
      Math.min(together(key), daysIn(key, line.mostBytes(lengthOf(needed) * bytesPerDay(key)))),
    instead(key, { needed, parts = [needed] }) {
      const open = subtract([needed], subtract([needed], parts));
      const first = planRequests(open, [], together(key))[0] ?? needed;
      return { ...first, needed: first };
    },
  };
}

/** How many names a request may have, so that who waits for `needed` of them waits little longer. */
export function createNameGrowth(
  line: Line,
  options: { bytesPerRecord: number },
): (needed: number) => number {
  return (needed) => {
    const bytes = line.bytesPerRecord() ?? options.bytesPerRecord;
    return Math.floor(line.mostBytes(needed * bytes) / bytes);
  };
}
