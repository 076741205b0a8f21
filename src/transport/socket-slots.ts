interface SlotsOptions {
  /** Whether nothing may start even if a slot is free. */
  isBusy(): boolean;
  /** Called when an operation has to wait: no more should arrive. */
  onFull(): void;
  /** Called when no operation waits any longer. */
  onFree(): void;
}

/** Lets `max` operations run at a time; the others wait in order of arrival. */
export function createSlots(max: number, { isBusy, onFull, onFree }: SlotsOptions) {
  const waiting: (() => void)[] = [];
  let running = 0;

  function next(): void {
    if (waiting.length === 0) return;
    while (waiting.length > 0 && running < max && !isBusy()) {
      running += 1;
      waiting.shift()?.();
    }
    if (waiting.length === 0) onFree();
  }

  return {
    next,
    async acquire(): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      next();
      if (waiting.length > 0) onFull();
      await promise;
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        running -= 1;
        next();
      };
    },
  };
}
