import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { type Group, totalOf } from '../meters.ts';
import { parseJson } from '../json.ts';
import type { Ledger } from '../usage/units.ts';
import { countRequest, DryRunStop, type Estimate } from '../usage/estimate.ts';
import type { Operation } from '../usage/operation.ts';
import { type Tasks, track, whenEnded } from '../shared/tasks.ts';
import { waitAtMost } from '../shared/waiting.ts';
import { isOutage } from './circuit-breaker.ts';
import type { Answer, AnswerText, Endpoint, LazyTarget, Received, Request } from './endpoint.ts';
import { isTimeout, MarketError, NotSent } from './errors.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import { createFirstAnswers } from './first-answers.ts';
import { createIntake } from './intake.ts';
import type { Line } from './line.ts';
import { NoTurn, noTurnAgain } from './not-sent.ts';
import { expectedCost, refusalOf } from './payment.ts';
import { readAgain } from './read-answer.ts';
import type { GroupAccess, GroupState } from './group.ts';

/** Sends metered requests, in the same way for every endpoint of both groups. */
export interface UpstreamClient {
  /**
   * Asks the upstream and books the cost to `operation` and the ledger. Retries once after a connection error,
   * a 5xx or a timeout, and after each `rate_limited` as soon as the rate limiter permits it. If `target`
   * returns undefined, nothing is sent and the promise resolves to undefined. `clients`: those that wait for it; by
   * default the operation's. Rejects with a MarketError; a dry run sends nothing and rejects with DryRunStop.
   */
  fetch<Raw>(
    endpoint: Endpoint<Raw>,
    target: LazyTarget,
    operation: Operation,
    clients?: ReadonlySet<string>,
  ): Promise<Received<Raw> | undefined>;
  /** Reads the answer in a reply that arrived earlier, or at another process; undefined if it cannot be read. */
  read<Raw>(
    endpoint: Endpoint<Raw>,
    text: AnswerText,
    retrievedAt: number,
  ): Promise<Answer<Raw> | undefined>;
  /**
   * Returns status and body of Group A's GET /health (spec section 2.3), which needs no key and costs no quota. Rejects
   * with a MarketError; a dry run sends nothing and rejects with DryRunStop.
   */
  health(operation: Operation): Promise<{ status: number; body: unknown }>;
  /** The line to an endpoint's group, which says how large answers may grow. */
  line(endpoint: Pick<Endpoint<unknown>, 'group' | 'name'>): Line;
  /** Returns the current state of each group. */
  states(): Readonly<Record<Group, GroupState>>;
  /**
   * Stops sending, and gives requests in flight `graceMs` to finish: an answer that is never read may have
   * been paid for. Requests that are then aborted keep their units reserved, if they were sent.
   */
  close(graceMs: number): Promise<void>;
}

interface UpstreamClientOptions extends Omit<ExchangeOptions, 'endOfRound' | 'intake'> {
  upstreams: Readonly<Record<Group, GroupAccess>>;
}

const RETRY_PAUSE_MS = 100;

export function createUpstreamClient({
  upstreams,
  ...options
}: UpstreamClientOptions): UpstreamClient {
  const endOfRound = createRounds();
  const common = { ...options, endOfRound, intake: createIntake(endOfRound) };
  const exchanges: Readonly<Record<Group, Exchange>> = {
    A: createExchange('A', upstreams.A, common),
    B: createExchange('B', upstreams.B, common),
  };
  const firstAnswers = createFirstAnswers(options.ledger, options.maxUnitsPerRequest);
  /** All requests that have not ended, whoever started them and whether or not anyone still waits for them. */
  const unfinished: Tasks = new Set();

  return {
    fetch(endpoint, target, operation, clients = operation.clients) {
      const { estimate } = operation;
      const { ledger } = options;
      if (estimate) return countInDryRun(endpoint, operation, estimate, ledger);
      const { state, send } = exchanges[endpoint.group];
      const sent = sendWithRetries(
        { state, send: (one) => firstAnswers(one, () => send(one)) },
        { endpoint, target, operation, clients },
        () => expectedCost(ledger, endpoint),
      );
      track(unfinished, sent);
      return sent;
    },
    line: ({ group, name }) => exchanges[group].line(name),
    read: (endpoint, text, retrievedAt) =>
      readAgain(endpoint, text, {
        timezone: options.timezone,
        now: () => retrievedAt,
        pause: setImmediate,
      }),
    async health(operation) {
      if (operation.estimate) throw new DryRunStop();
      const { status, body } = await exchanges.A.health(operation);
      return { status, body: parseJson(body) };
    },
    states: () => ({ A: exchanges.A.state(), B: exchanges.B.state() }),
    async close(graceMs) {
      const both = Object.values(exchanges);
      for (const exchange of both) exchange.stop();
      await waitAtMost(graceMs, whenEnded(unfinished));
      await Promise.all(both.map((exchange) => exchange.abort()));
      await whenEnded(unfinished);
    },
  };
}

/** Returns a function that waits for the end of the event loop's current round; calls in one round share a promise. */
function createRounds(): () => Promise<void> {
  let end: Promise<void> | undefined;
  return () => (end ??= setImmediate().finally(() => (end = undefined)));
}

/** Retries once after an outage, and after each refusal for exceeding the rate limit, while the operation can pay. */
async function sendWithRetries<Raw>(
  exchange: Pick<Exchange, 'state' | 'send'>,
  request: Omit<Request<Raw>, 'isRetry' | 'timedOut'>,
  cost: () => number,
): Promise<Received<Raw> | undefined> {
  const { operation } = request;
  let timedOut: MarketError | undefined;
  let failed: unknown;
  for (let outages = 0, isRetry = false; ; isRetry = true) {
    try {
      return await exchange.send({ ...request, isRetry, timedOut });
    } catch (error) {
      if (isRetry && isNotSentAgain(error)) throw lastFailure(failed, request.endpoint.group);
      failed = error;
      if (!maySendMore(operation, cost()) || !exchange.state().isUp) throw error;
      if (isRateLimited(error)) continue;
      outages += 1;
      if (!isOutage(error) || outages > 1) throw error;
      if (isTimeout(error)) timedOut = error;
      await pause(RETRY_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/**
 * Whether the operation can pay for another try. If not, the failure is thrown: it decides what the client is told, and
 * whether stale data are served.
 */
const maySendMore = ({ requests, maxRequests, units, maxUnits }: Operation, cost: number) =>
  requests < maxRequests && units + cost <= maxUnits;

/**
 * Whether a retry was not sent, since another request of the operation has meanwhile used up what it may send or spend,
 * or since its turn did not come in time: the request ends as it had failed.
 */
const isNotSentAgain = (error: unknown): boolean =>
  error instanceof NoTurn ||
  (error instanceof NotSent && error.code === 'UPSTREAM_BUDGET_EXCEEDED');

/** After a refusal for the rate limit, operations that have joined the request may have more time, and ask again. */
const lastFailure = (failed: unknown, group: Group): unknown =>
  isRateLimited(failed) ? noTurnAgain(group) : failed;

/** Whether the upstream's rate limit refused the request. If our own limiter had no permit, a retry is of no use. */
function isRateLimited(error: unknown): boolean {
  return (
    error instanceof MarketError && error.code === 'RATE_LIMITED' && !(error instanceof NotSent)
  );
}

/** Counts a request that a dry run would send, and ends the run once all that is asked for in this tick is counted. */
async function countInDryRun(
  endpoint: Endpoint<unknown>,
  operation: Operation,
  estimate: Estimate,
  ledger: Ledger,
): Promise<never> {
  const { meter } = endpoint;
  const { requests, certain } = estimate;
  const before = { requests, units: totalOf(certain), unbooked: certain[meter] };
  const refused = refusalOf(ledger, endpoint, operation, before);
  if (refused) {
    estimate.refusals.push(refused);
    throw refused;
  }
  countRequest(estimate, endpoint, expectedCost(ledger, endpoint));
  await setImmediate();
  throw new DryRunStop();
}
