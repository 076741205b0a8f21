import type { Maybe } from '../maybe.ts';

/** Tasks under way for which perhaps nobody waits, until the end. */
export type Tasks = Set<Promise<unknown>>;

/** Keeps a task among those under way until it has ended. */
export function track(tasks: Tasks, task: Promise<unknown>): void {
  const end = () => void tasks.delete(task);
  tasks.add(task);
  task.then(end, end);
}

/** Resolves once all have ended, however they end, and those that they have begun; undefined where none is under way. */
export function whenEnded(tasks: Tasks): Maybe<void> {
  return tasks.size > 0 ? Promise.allSettled(tasks).then(() => whenEnded(tasks)) : undefined;
}
