import type { Logger } from 'pino';
import type { Group } from '../meters.ts';
import type { RequestEnd } from '../upstream/request-end.ts';

/**
 * Logs one line for a group whose first answer is a 404. Most 404s count as "no data" (spec section 7), so a wrong base
 * URL would look like a market in which nothing happens.
 */
export function createNotFoundLog(log: Logger): (end: RequestEnd) => void {
  const known = new Set<Group>();
  return ({ dataset, group, meter, status = 0 }) => {
    // The health check says nothing about other paths.
    if (meter === undefined || known.has(group)) return;
    const isFound = status >= 200 && status < 300;
    if (isFound || status === 404) known.add(group);
    if (status === 404)
      log.warn(
        { dataset },
        `the first answer of group ${group} is a 404, which counts as no data: if there should be data, check GROUP_${group}_URL`,
      );
  };
}
