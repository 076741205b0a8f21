import type { Operation } from '../usage/operation.ts';
import type { AnswerText } from './endpoint.ts';
import type { Reply } from './http-client.ts';
import { reportEnd, type RequestEnd } from './request-end.ts';

type Get = (path: string, headers: Record<string, string>, end: RequestEnd) => Promise<Reply>;

const HEALTH = { dataset: 'health', route: '/health', isRetry: false, client: '' };

/**
 * Returns a function that sends GET /health of Group A (spec section 2.3), and counts it among the operation's requests.
 * It rejects with a MarketError.
 */
export function createHealthCheck(get: Get, onRequestEnd: (end: RequestEnd) => void) {
  return function check(operation: Operation): Promise<AnswerText> {
    operation.healthChecks += 1;
    const known = { ...HEALTH, group: 'A' as const, meter: undefined, trace: operation.trace };
    const ended = reportEnd(known, onRequestEnd, async (end) => {
      const { status, body } = await get(HEALTH.route, {}, end);
      if (typeof body !== 'string') throw body;
      return { status, body };
    });
    return ended.catch((error) => {
      operation.failed += 1;
      throw error;
    });
  };
}
