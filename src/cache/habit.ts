import type { Span } from '../time.ts';

/**
 * How far the questions about a dataset reached lately: what was asked of one key is likely to be
 * asked of the next one, too.
 */
export interface Habit {
  note(asked: Span): void;
  /** From the earliest to the latest day of recent questions; undefined before the first. */
  reach(): Span | undefined;
}

const REMEMBERED = 200;

export function createHabit(): Habit {
  const recent: Span[] = [];
  let next = 0;
  return {
    note(asked) {
      recent[next] = asked;
      next = (next + 1) % REMEMBERED;
    },
    reach() {
      if (recent.length === 0) return undefined;
      const start = Math.min(...recent.map((span) => span.start));
      const end = Math.max(...recent.map((span) => span.end));
      return { start, end };
    },
  };
}
