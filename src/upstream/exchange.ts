import { setImmediate } from 'node:timers/promises';
import type { Group, Meter } from '../meters.ts';
import type { Clock } from '../time.ts';
import type { Ledger, Reservation } from '../usage/units.ts';
import type { Operation } from '../usage/operation.ts';
import { createCircuitBreaker, createRateLimiter, type Permit } from './admission.ts';
import { DIALECTS } from './dialects.ts';
import { type Answer, type Endpoint, requestPath, type Target } from './endpoint.ts';
import {
  Aborted,
  exhausted,
  type FailureCode,
  MarketError,
  NotSent,
  overBudget,
} from './errors.ts';
import { type Outcome, readAnswer, readOutcome, retryAfterMs } from './read-answer.ts';
import { createTransport, type Reply } from './transport.ts';

/** Where one group is reached. */
export interface Upstream {
  /** The spec's {base_url} or {api_base_url}. */
  baseUrl: string;
  key: string;
  /** The per-second limit; undefined where it is not known and has to be learnt from refusals. */
  requestsPerSecond: number | undefined;
}

export interface Request<Raw> {
  endpoint: Endpoint<Raw>;
  /** Read when the request leaves, never at once, so that it may grow while it waits. */
  target: () => Target;
  operation: Operation;
  isRetry: boolean;
}

/** How one request ended, for logs and metrics. */
export interface RequestEnd {
  /** The endpoint's name, e.g. `fx history`. */
  dataset: string;
  group: Group;
  /** Undefined for the health check, which costs nothing. */
  meter: Meter | undefined;
  isRetry: boolean;
  /** False where it was refused before it left: by a limit, the ledger or the circuit breaker. */
  wasSent: boolean;
  result: 'ok' | FailureCode | 'INTERNAL';
  /** What it was charged. */
  units: number;
  /** The size of the answer's body. */
  bytes: number;
  /** From leaving to the end of the body, without the wait for a permit; 0 where it did not leave. */
  durationMs: number;
  /** Why the connection failed, e.g. ECONNREFUSED. Not for clients. */
  cause: string | undefined;
}

/** Sends requests to one group and books what they cost. */
export interface Exchange {
  /** One metered request: permit, unit, reply, what it really cost. Rejects with a MarketError. */
  send<Raw>(request: Request<Raw>): Promise<Answer<Raw>>;
  /** GET /health of Group A: no key, no permit, no unit. */
  health(): Promise<Reply>;
  /** Whether the circuit breaker lets requests through. */
  isUp(): boolean;
  /** Sends nothing more. */
  stop(): void;
  /** Aborts what is under way: its units stay reserved, and so count as spent. */
  abort(): Promise<void>;
}

export interface ExchangeOptions {
  ledger: Ledger;
  timeoutMs: number;
  timezone: string;
  now: Clock;
  monotonic: Clock;
  /** Called exactly once for every request, sent or refused. Must not throw. */
  onRequestEnd: (end: RequestEnd) => void;
}

export function createExchange(
  group: Group,
  { baseUrl, key, requestsPerSecond }: Upstream,
  { ledger, timeoutMs, timezone, now, monotonic, onRequestEnd }: ExchangeOptions,
): Exchange {
  const dialect = DIALECTS[group];
  const headers = dialect.headers(key);
  const transport = createTransport({ group, baseUrl, timeoutMs });
  const limiter = createRateLimiter({ perSecond: requestsPerSecond, monotonic });
  const breaker = createCircuitBreaker(group, monotonic);

  /** Throws where the request may not be sent: no units left, too many requests, no permit in time. */
  async function permitFor(meter: Meter, operation: Operation): Promise<Permit> {
    if (!ledger.isOpen(meter)) throw exhausted(meter);
    if (operation.requests >= operation.maxRequests) throw overBudget(group, operation.maxRequests);
    operation.requests += 1;
    // All that is asked for in the same tick is known by then, and may still join this request.
    await setImmediate();
    const permit = await limiter.acquire(operation.deadline);
    if (permit) return permit;
    operation.requests -= 1;
    throw new NotSent('RATE_LIMITED', { group });
  }

  async function get(path: string, keyHeaders: typeof headers, end: RequestEnd): Promise<Reply> {
    const sentAt = monotonic();
    end.wasSent = true;
    try {
      return await transport.get(path, keyHeaders);
    } finally {
      end.durationMs = monotonic() - sentAt;
    }
  }

  /** Rejects only where the request was aborted. */
  async function outcomeOf(
    path: string,
    { endpoint }: Request<unknown>,
    permit: Permit,
    end: RequestEnd,
  ): Promise<Outcome> {
    try {
      const reply = await get(path, headers, end);
      const outcome = readOutcome(dialect, endpoint, reply);
      if (outcome.result instanceof MarketError && outcome.result.code === 'RATE_LIMITED')
        limiter.noteRefused(permit, retryAfterMs(reply.headers['retry-after'], now()));
      return outcome;
    } catch (error) {
      if (!(error instanceof MarketError) || error instanceof Aborted) throw error;
      return { units: 0, remaining: undefined, bytes: 0, result: error };
    }
  }

  async function send<Raw>(request: Request<Raw>, end: RequestEnd): Promise<Answer<Raw>> {
    const { endpoint, target, operation } = request;
    const permit = await permitFor(endpoint.meter, operation);
    const path = requestPath(target());
    const reservation = ledger.reserve(endpoint.meter);
    if (!reservation) {
      operation.requests -= 1;
      throw exhausted(endpoint.meter);
    }
    const outcome = await outcomeOf(path, request, permit, end);
    const { units, bytes, result } = outcome;
    book(reservation, outcome);
    Object.assign(end, { units, bytes });
    operation.used[endpoint.meter] += units;
    if (!(result instanceof MarketError))
      return await readAnswer(endpoint, result, { bytes, now, timezone, pause: setImmediate });
    operation.failed += 1;
    throw result;
  }

  /** Reports how `task`, which is one request, has ended. */
  async function observed<T>(
    about: Pick<RequestEnd, 'dataset' | 'meter' | 'isRetry'>,
    task: (end: RequestEnd) => Promise<T>,
  ): Promise<T> {
    const nothing = { wasSent: false, units: 0, bytes: 0, durationMs: 0, cause: undefined };
    const end: RequestEnd = { ...about, group, result: 'ok', ...nothing };
    try {
      return await task(end);
    } catch (error) {
      end.result = error instanceof MarketError ? error.code : 'INTERNAL';
      if (error instanceof MarketError) end.cause = error.reason;
      throw error;
    } finally {
      onRequestEnd(end);
    }
  }

  return {
    send(request) {
      const { endpoint, isRetry } = request;
      return observed({ dataset: endpoint.name, meter: endpoint.meter, isRetry }, (end) =>
        breaker.run(() => send(request, end)),
      );
    },
    health: () =>
      observed({ dataset: 'health', meter: undefined, isRetry: false }, async (end) => {
        const reply = await get('/health', {}, end);
        if (typeof reply.body !== 'string') throw reply.body;
        end.bytes = reply.body.length;
        return reply;
      }),
    isUp: breaker.isClosed,
    stop: limiter.close,
    abort: transport.abort,
  };
}

/** Books what the request cost, and what the upstream itself says of the meter. */
function book(reservation: Reservation, { units, remaining, result }: Outcome): void {
  reservation.settle(units);
  if (remaining !== undefined) reservation.noteRemaining(remaining);
  const code = result instanceof MarketError ? result.code : undefined;
  if (code === 'QUOTA_EXCEEDED' || code === 'INSUFFICIENT_CREDITS') reservation.noteExhausted();
}
