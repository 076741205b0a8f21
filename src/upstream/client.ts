import type { Logger } from 'pino';
import { parseJson } from '../json.ts';
import type { Clock } from '../time.ts';
import type { Ledger } from '../usage/ledger.ts';
import { type Estimate, Planned, plannedRequests } from '../usage/estimate.ts';
import { noteUnderWay, type Operation, whenDone } from '../usage/operation.ts';
import { isOutage } from './breaker.ts';
import type { Answer, Endpoint, Target } from './endpoint.ts';
import { type Group, MarketError, NotSent } from './errors.ts';
import { createExchange, exhausted } from './exchange.ts';
import { type Line, openLine, type Upstream } from './line.ts';

/** Sends metered requests: one way for every endpoint of both groups. */
export interface Client {
  /**
   * Asks the upstream (a second time after a connection error, a 5xx or a time-out; again in its
   * turn after `rate_limited`) and books what it cost to `operation` and the ledger. `target` is
   * read when the request leaves, never at once, so that it may grow while it waits. Rejects with a
   * MarketError.
   */
  fetch<Raw>(
    endpoint: Endpoint<Raw>,
    target: () => Target,
    operation: Operation,
  ): Promise<Answer<Raw>>;
  /** Status and body of Group A's GET /health (spec section 2.3): no key, no quota. */
  health(operation: Operation): Promise<{ status: number; body: unknown }>;
  /**
   * Sends nothing more, and lets what has been sent finish for `graceMs`: an answer that is never
   * read may have been paid. What is broken off then stays reserved.
   */
  close(graceMs: number): Promise<void>;
}

export interface ClientOptions {
  upstreams: Record<Group, Upstream>;
  ledger: Ledger;
  timeoutMs: number;
  timezone: string;
  now: Clock;
  log: Logger;
}

const RETRY_PAUSE_MS = 100;

export function createClient({ upstreams, timeoutMs, now, log, ...rest }: ClientOptions): Client {
  const exchange = createExchange({ now, ...rest });
  const lines: Record<Group, Line> = {
    A: openLine(upstreams.A, timeoutMs, now),
    B: openLine(upstreams.B, timeoutMs, now),
  };
  /** Whoever started it, and whether or not somebody still waits for it. */
  const all = { underWay: new Set<Promise<unknown>>() };

  const send: Client['fetch'] = async (endpoint, target, operation) => {
    const line = lines[endpoint.group];
    for (let outages = 0; ;) {
      try {
        return await line.breaker.run(() => exchange(line, endpoint, target, operation));
      } catch (error) {
        log.warn({ dataset: endpoint.name, code: codeOf(error) }, 'an upstream request failed');
        const inTurn = codeOf(error) === 'RATE_LIMITED' && !(error instanceof NotSent);
        if (isOutage(error)) outages += 1;
        if (operation.requests >= operation.maxRequests || !line.breaker.isClosed()) throw error;
        if (!inTurn && !(isOutage(error) && outages === 1)) throw error;
        if (!inTurn) await pause(RETRY_PAUSE_MS * (0.5 + Math.random()));
      }
    }
  };

  return {
    fetch(endpoint, target, operation) {
      const { estimate } = operation;
      if (estimate) return plan(endpoint, operation, estimate, rest.ledger);
      const sent = send(endpoint, target, operation);
      noteUnderWay(all, sent);
      return sent;
    },
    async health(operation) {
      if (operation.estimate) throw new Planned();
      operation.healthChecks += 1;
      const { status, body } = await lines.A.transport.get('/health', {});
      return { status, body: typeof body === 'string' ? parseJson(body) : undefined };
    },
    async close(graceMs) {
      const both = [lines.A, lines.B];
      for (const { pacer } of both) pacer.close();
      await atMost(graceMs, whenDone(all));
      await Promise.all(both.map(({ transport }) => transport.close()));
      await whenDone(all);
    },
  };
}

/** A dry run books what would be sent and ends here, once all that is asked for has been booked. */
async function plan(
  { group, meter }: Endpoint<unknown>,
  { maxRequests }: Operation,
  estimate: Estimate,
  ledger: Ledger,
): Promise<never> {
  if (ledger.left(meter) <= estimate.planned[meter]) throw exhausted({ group, meter });
  if (plannedRequests(estimate) >= maxRequests)
    throw new MarketError('UPSTREAM_BUDGET_EXCEEDED', { group });
  estimate.planned[meter] += 1;
  await new Promise((resolve) => setImmediate(resolve));
  throw new Planned();
}

function codeOf(error: unknown): string {
  return error instanceof MarketError ? error.code : 'INTERNAL';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function atMost(ms: number, task: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([task, promise]);
  clearTimeout(timer);
}
