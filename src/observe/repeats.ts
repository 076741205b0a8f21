import type { Clock } from '../time.ts';

/** Reports recurring events once a minute, with a count. */
export interface Repeats<T> {
  /** Reports an event now, or counts it. `key`: the same for events of one kind; there must be few kinds. */
  note(key: string, about: T): void;
  /** Reports events that were only counted: those that are due, or all. */
  tellCounted(which: 'due' | 'all'): void;
}

interface Counted<T> {
  until: number;
  /** How many events there were since the last report. */
  count: number;
  /** The last event. */
  about: T;
}

const QUIET_MS = 60_000;

/** `tell`: reports events; `count` is how many there were since the last report; undefined: one, now. */
export function createRepeats<T>(
  monotonic: Clock,
  tell: (about: T, count: number | undefined) => void,
): Repeats<T> {
  const quiet = new Map<string, Counted<T>>();

  function tellCounted(which: 'due' | 'all'): void {
    for (const [key, { until, count, about }] of quiet) {
      if (which === 'due' && monotonic() < until) continue;
      quiet.delete(key);
      if (count > 0) tell(about, count);
    }
  }

  return {
    note(key, about) {
      const known = quiet.get(key);
      if (known && monotonic() < known.until) {
        known.count += 1;
        known.about = about;
        return;
      }
      tell(about, known?.count ? known.count + 1 : undefined);
      quiet.set(key, { until: monotonic() + QUIET_MS, count: 0, about });
    },
    tellCounted,
  };
}
