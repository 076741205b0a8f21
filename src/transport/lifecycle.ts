/** Whether to send clients here, for a load balancer that asks `/ready`. */
export type Readiness = 'ready' | 'stopping' | 'key refused';

/** Where a process is between its start and its end: serving, draining (served as before), stopped. */
export interface Lifecycle {
  readiness(): Readiness;
  drain(): void;
  /** Calls `onStop` the first time. */
  stop(onStop: () => void): void;
}

export function createLifecycle(isKeyRefused: () => boolean): Lifecycle {
  let state: 'serving' | 'draining' | 'stopped' = 'serving';
  return {
    readiness() {
      if (state !== 'serving') return 'stopping';
      return isKeyRefused() ? 'key refused' : 'ready';
    },
    drain() {
      if (state === 'serving') state = 'draining';
    },
    stop(onStop) {
      if (state === 'stopped') return;
      state = 'stopped';
      onStop();
    },
  };
}
