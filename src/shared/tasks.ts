import type { Maybe } from '../maybe.ts';

/** Tasks in progress that perhaps nobody awaits, until `whenEnded` does in the end. */
export type Tasks = Set<Promise<unknown>>;

/** Keeps a task in the set until it has ended. */
export function track(tasks: Tasks, task: Promise<unknown>): void {
  const end = () => void tasks.delete(task);
  tasks.add(task);
  task.then(end, end);
}

/** Resolves once all tasks, and those that they have started, have ended in any way; undefined if there are none. */
export function whenEnded(tasks: Tasks): Maybe<void> {
  return tasks.size > 0 ? Promise.allSettled(tasks).then(() => whenEnded(tasks)) : undefined;
}
