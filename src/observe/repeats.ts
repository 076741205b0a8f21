import type { Clock } from '../time.ts';

/** Tells of what happens again and again once a minute, with a count. */
export interface Repeats<T> {
  /** Tells of it now, or counts it. `key`: what is the same; there must be few. */
  note(key: string, about: T): void;
  /** Tells of what was only counted and is due, or of all of it. */
  tellCounted(which: 'due' | 'all'): void;
}

interface Counted<T> {
  until: number;
  /** How often it has happened since it was told. */
  count: number;
  /** The last of them. */
  about: T;
}

const QUIET_MS = 60_000;

/** `tell`: `count` is how often it has happened since it was told last; undefined: once, now. */
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
