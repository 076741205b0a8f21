import { readTimesToLive } from '../src/config/times-to-live.ts';

/** Times to live for gateways of tests, in seconds. */

/** Returns the variables of all datasets with the same value: `0` to keep nothing fresh. */
export function sameTimesToLive(value: string): Record<string, string> {
  const variables: Record<string, string> = {};
  readTimesToLive((variable, type) => {
    variables[variable] = value;
    return type.parse(undefined);
  });
  return variables;
}

/** Short enough that answers of every dataset expire in the course of a test. */
export const SHORT_TTLS = {
  ...sameTimesToLive('2'),
  TTL_FX_RATES: '1',
  TTL_CALENDAR: '1',
  TTL_CRYPTO: '1',
  TTL_SETTLED_DAYS: '3',
};
