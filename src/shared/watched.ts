import { type Maybe, whenReady } from '../maybe.ts';
import type { Shared } from './shared.ts';
import type { UnitStore } from './units.ts';

/** Measures the shared-store calls that responses wait for, wherever the state is kept. */

type StoreCall = 'units' | 'read' | 'claim';

/** Called when a call is over. */
export type ObserveStoreCall = (call: StoreCall, seconds: number) => void;

function timed<T>(call: StoreCall, observe: ObserveStoreCall, task: () => Maybe<T>): Maybe<T> {
  const startedAt = performance.now();
  return whenReady(task(), (result) => {
    observe(call, (performance.now() - startedAt) / 1000);
    return result;
  });
}

export const watchedUnits = (store: UnitStore, observe: ObserveStoreCall): UnitStore => ({
  ...store,
  apply: (id, change) => timed('units', observe, () => store.apply(id, change)),
});

export const watchedShared = (shared: Shared, observe: ObserveStoreCall): Shared => ({
  ...shared,
  read: (key, after) => timed('read', observe, () => shared.read(key, after)),
  claim: (...what) => timed('claim', observe, () => shared.claim(...what)),
});
