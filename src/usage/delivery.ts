import type { AccountId, Applied, Change, UnitStore } from '../shared/units.ts';

/** Backoff before a change is handed over again, in milliseconds: doubled with each failure, up to `max`. */
const RETRY_MS = { first: 50, max: 250 };

interface DeliveryOptions {
  onApplied(applied: Applied): void;
  /** Called when it has failed so often that nobody should wait for it. */
  onTooManyFailures(): void;
}

/** Hands over one change at a time to the store, and retries until it is made. */
export function createDelivery(id: AccountId, store: UnitStore, options: DeliveryOptions) {
  let change: Change | undefined;
  let failures = 0;
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function deliver(): void {
    const applied = change && store.apply(id, change);
    if (applied instanceof Promise) underWay = applied.then(receive);
    else receive(applied);
  }

  function receive(applied: Applied | undefined): void {
    underWay = undefined;
    if (!applied) return noteFailure();
    [change, failures] = [undefined, 0];
    options.onApplied(applied);
  }

  function noteFailure(): void {
    failures += 1;
    if (failures >= store.maxFailures) options.onTooManyFailures();
    const waitMs = Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.max);
    timer = setTimeout(deliver, waitMs).unref();
  }

  return {
    /** Whether a change waits for its answer. */
    isBusy: () => change !== undefined,
    hasFailedTooOften: () => failures >= store.maxFailures,
    /** Hands over a change. To be called only while it is not busy. */
    begin(requested: Change): void {
      change = requested;
      deliver();
    },
    /** Retries now, if there is a change; resolves when that has ended. */
    async tryNow(): Promise<void> {
      clearTimeout(timer);
      if (change && !underWay) deliver();
      await underWay;
    },
    stop: () => clearTimeout(timer),
  };
}

/** A timer that can be canceled. */
interface Delay {
  isOn(): boolean;
  begin(ms: number): void;
  end(): void;
}

/** `onOver`: called when the time is over, unless it was canceled before (`end`). */
export function createDelay(onOver: () => void): Delay {
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    isOn: () => timer !== undefined,
    begin(ms) {
      end();
      timer = setTimeout(() => {
        end();
        onOver();
      }, ms).unref();
    },
    end,
  };
}
