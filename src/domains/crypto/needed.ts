import { createContextCache } from '@pothos/core';
import type { Gateway } from '../../graph/context.ts';
import type { Maybe } from '../../maybe.ts';
import { createOpenCounts } from '../../open-counts.ts';

/** Which requests are retried after a timeout: those that a caller without a fallback waits for. */

/** How many callers without a fallback wait for what is in flight, by key. */
const callersWithoutFallback = createContextCache((_gateway: Gateway) => createOpenCounts());

/** Whether a request is not retried after a timeout: `noRetry`, unless others need it. */
export const isNotRetried = (gateway: Gateway, noRetry: boolean | undefined, key: string) =>
  noRetry === true && callersWithoutFallback(gateway).of(key) === 0;

/** Notes that a caller without a fallback waits for what is being loaded under a key (`listKey`, `tickersKey`). */
export function noteNeeded(gateway: Gateway, key: string, loading: Maybe<unknown>): void {
  if (!(loading instanceof Promise)) return;
  const end = callersWithoutFallback(gateway).begin(key);
  loading.then(end, end);
}
