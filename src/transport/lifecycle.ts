/** Whether a load balancer that polls `/ready` should send clients here, and if not, why. */
export type Readiness = 'ready' | 'stopping' | 'key refused';

/** The stage of the process: serving, draining (clients are still served), stopped. */
export interface Lifecycle {
  /** Read with each reply: once the process is ending, a reply is the last one of its connection. */
  readonly state: { isEnding: boolean };
  readiness(): Readiness;
  drain(): void;
  /** Calls `onStop`, the first time only. */
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
