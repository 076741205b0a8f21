import type { Maybe } from '../maybe.ts';

/** Longest delay of a Node timer: one with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves when the task has ended, and after `ms` at the latest. */
export async function waitAtMost(ms: number, task: Maybe<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS));
  try {
    await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
}
