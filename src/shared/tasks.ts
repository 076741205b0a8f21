/** Tasks that nobody waits for, until the end. */
export interface Tasks {
  track(task: Promise<unknown>): void;
  /** Resolves once all have ended, however they end. */
  ended(): Promise<void>;
}

export function createTasks(): Tasks {
  const underWay = new Set<Promise<unknown>>();
  return {
    track(task) {
      const end = () => void underWay.delete(task);
      underWay.add(task);
      task.then(end, end);
    },
    async ended() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
