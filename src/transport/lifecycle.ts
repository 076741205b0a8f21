/** Whether to send clients here, for a load balancer that asks `/ready`. */
export type Readiness = 'ready' | 'stopping' | 'key refused';

/** Where a process is between its start and its end: serving, draining (served as before), stopped. */
export interface Lifecycle {
  /** What is looked at with each reply: it is the last one of its connection once the process ends. */
  readonly state: { isEnding: boolean };
  readiness(): Readiness;
  drain(): void;
  /** Calls `onStop` the first time. */
  stop(onStop: () => void): void;
}

export function createLifecycle(isKeyRefused: () => boolean): Lifecycle {
  const state = { isEnding: false };
  let isStopped = false;

  function drain(): void {
    state.isEnding = true;
  }

  return {
    state,
    readiness() {
      if (state.isEnding) return 'stopping';
      return isKeyRefused() ? 'key refused' : 'ready';
    },
    drain,
    stop(onStop) {
      if (isStopped) return;
      isStopped = true;
      drain();
      onStop();
    },
  };
}
