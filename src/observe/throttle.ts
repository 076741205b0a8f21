import type { Clock } from '../time.ts';

/** Reports the first of recurring events at once, and further ones once a minute, with a count. */
export interface Throttle<T> {
  /** Reports an event now, or counts it. `key`: the same for events of one kind; there must be few kinds. */
  note(key: string, about: T): void;
  /** Reports events that were only counted: those that are due, or all. */
  reportCounted(which: 'due' | 'all'): void;
}

interface Counted<T> {
  until: number;
  /** How many events there were since the last report. */
  count: number;
  /** The last event. */
  about: T;
}

const REPORT_EVERY_MS = 60_000;

/** `report`: called with the last event and how many there were since the last report; undefined: one, now. */
export function createThrottle<T>(
  monotonic: Clock,
  report: (about: T, count: number | undefined) => void,
): Throttle<T> {
  const throttled = new Map<string, Counted<T>>();

  function reportCounted(which: 'due' | 'all'): void {
    for (const [key, { until, count, about }] of throttled) {
      if (which === 'due' && monotonic() < until) continue;
      if (count === 0) throttled.delete(key);
      else {
        throttled.set(key, { until: monotonic() + REPORT_EVERY_MS, count: 0, about });
        report(about, count);
      }
    }
  }

  return {
    note(key, about) {
      const known = throttled.get(key);
      if (known && monotonic() < known.until) {
        known.count += 1;
        known.about = about;
        return;
      }
      report(about, known?.count ? known.count + 1 : undefined);
      throttled.set(key, { until: monotonic() + REPORT_EVERY_MS, count: 0, about });
    },
    reportCounted,
  };
}
