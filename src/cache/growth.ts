import type { Span } from '../time.ts';
import type { Line } from '../upstream/line.ts';
import { lengthOf } from './spans.ts';

/** How many days a request may ask for on the line that its answer comes over. */
export interface Growth {
  /** What is asked for together, by whomever: as much as comes in time. */
  together(key: string): number;
  /** What is asked for beside `needed`, which nobody waits for: as much as makes its answer little later. */
  beside(key: string, needed: Span): number;
}

/** What is known of a dataset's days. */
interface DayLimit {
  maxDays(key: string): number;
  bytesPerDay(): number;
}

export function createGrowth(line: Line, { maxDays, bytesPerDay }: DayLimit): Growth {
  const daysIn = (bytes: number) => Math.floor(bytes / bytesPerDay());
  const together = (key: string) => Math.max(1, Math.min(maxDays(key), daysIn(line.bytesInTime())));
  return {
    together,
    beside: (key, needed) =>
      Math.min(together(key), daysIn(line.mostBytes(lengthOf(needed) * bytesPerDay()))),
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
