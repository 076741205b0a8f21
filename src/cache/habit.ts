import type { Span } from '../time.ts';

/**
 * How far the questions about a dataset reached lately: what was asked of one key is likely to be
 * asked of the next one, too.
 */
export interface Habit {
  note(asked: Span): void;
  /** From the earliest to the latest day of recent questions; undefined while there are too few. */
  reach(): Span | undefined;
}

const REMEMBERED = 200;
/** This many questions may reach further without making a habit. */
const ODD = 1;

export function createHabit(): Habit {
  const recent: Span[] = [];
  let next = 0;
  return {
    note(asked) {
      recent[next] = asked;
      next = (next + 1) % REMEMBERED;
    },
    reach() {
      const start = recent.map((span) => span.start).toSorted((a, b) => a - b)[ODD];
      const end = recent.map((span) => span.end).toSorted((a, b) => b - a)[ODD];
      return start === undefined || end === undefined ? undefined : { start, end };
    },
  };
}
