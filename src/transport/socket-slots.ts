interface SlotsOptions {
  /** Whether nobody may start although there is a slot. */
  isBusy(): boolean;
  /** Somebody waits: no more should come. */
  onFull(): void;
  /** Nobody waits any longer. */
  onFree(): void;
}

/** Lets `max` operations run at a time; the others wait in their order. */
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
    async start(): Promise<() => void> {
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
