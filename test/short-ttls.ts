import { sameTimesToLive } from '../src/config/times-to-live.ts';

/** Seconds, short enough that answers of every dataset expire in the course of a test. */
export const SHORT_TTLS = {
  ...sameTimesToLive('2'),
  TTL_FX_RATES: '1',
  TTL_CALENDAR: '1',
  TTL_CRYPTO: '1',
  TTL_SETTLED_DAYS: '3',
};
