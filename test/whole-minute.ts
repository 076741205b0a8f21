import { type Clock, MINUTE_MS } from '../src/time.ts';

/**
 * Returns a clock that runs like the real one, but starts at the beginning of the present minute: no test that takes
 * less than a minute sees a day or a month end.
 */
export function fromWholeMinute(): Clock {
  const passed = Date.now() % MINUTE_MS;
  return () => Date.now() - passed;
}
