import type { Span } from '../time.ts';
import type { Line } from '../upstream/line.ts';
import type { LengthLimit } from './request-length.ts';
import { planRequests } from './plan.ts';
import { intersect, lengthOf } from '../spans.ts';
import type { WantedDays } from './wanted-days.ts';

/** How many days a request may ask for, given how fast the line is that its answer comes over. */
interface Growth {
  /** Maximum number of days whose answer is expected to come in time. */
  maxDaysInTime(key: string): number;
  /** Maximum number of days that a request for `needed` may be widened to with hardly any delay for its answer. */
  maxDaysWidened(key: string, needed: Span): number;
  /**
   * What to ask for after an answer did not come in time: only what is needed, and only the first parts of that if all
   * of them together would be late again. The others are asked for next.
   */
  afterTimeout(key: string, wanted: WantedDays): WantedDays;
}

/** What is known about the days of a dataset. */
type DayLimit = Pick<LengthLimit, 'maxDays' | 'maxDaysTogether' | 'bytesPerDay'>;

export function createGrowth(line: Line, limit: DayLimit): Growth {
  const daysIn = (key: string, bytes: number) => Math.floor(bytes / limit.bytesPerDay(key));
  const maxDaysInTime = (key: string) =>
    Math.max(1, Math.min(limit.maxDaysTogether(key), daysIn(key, line.bytesInTime())));
  return {
    maxDaysInTime,
    maxDaysWidened: (key, needed) =>
      Math.min(
        maxDaysInTime(key),
        limit.maxDays(key),
        daysIn(key, line.maxBytes(lengthOf(needed) * limit.bytesPerDay(key))),
      ),
    afterTimeout(key, { needed, parts = [needed] }) {
      const open = intersect(parts, needed);
      const first = planRequests(open, [], maxDaysInTime(key))[0] ?? needed;
      return { ...first, needed: first, parts: open };
    },
  };
}

/**
 * How many records an answer may have if clients that need `needed` of them are to wait hardly longer. `expectedBytes`:
 * the expected size of a record before the first answer.
 */
export function maxRecords(line: Line, needed: number, expectedBytes: number): number {
  const bytes = line.bytesPerRecord() ?? expectedBytes;
  return Math.floor(line.maxBytes(needed * bytes) / bytes);
}
