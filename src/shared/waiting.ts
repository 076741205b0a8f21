import type { Maybe } from '../maybe.ts';
import { MAX_TIMER_MS } from '../time.ts';

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
