import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import type { Ledger } from '../usage/units.ts';
import type { Operation } from '../usage/operation.ts';
import type { Permit } from '../shared/permits.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { DIALECTS } from './dialects.ts';
import { type AnswerText, type Received, type Request, requestPath } from './endpoint.ts';
import { Abandoned, Aborted, MarketError, NotSent } from './errors.ts';
import { createHealthCheck } from './health-check.ts';
import { noTurn } from './not-sent.ts';
import type { Intake } from './intake.ts';
import { answerTo, hasFreeInput, type Outcome, readOutcome, retryAfterMs } from './outcome.ts';
import { createLine, type Line, type LineOptions } from './line.ts';
import { pay } from './pay.ts';
import { beginPayment, type Payment } from './payment.ts';
import { readAnswer } from './read-answer.ts';
import { reportEnd, type RequestEnd } from './request-end.ts';
import { createHttpClient, MAX_IN_FLIGHT, type Reply } from './http-client.ts';
import type { GroupAccess, GroupState } from './group.ts';

interface Sending<Raw> extends Request<Raw> {
  /** Set if this is its second permit: the first had expired when the request was about to be sent. */
  isSecondPermit?: true;
}

/** Undefined: the request was not sent. */
type Answered<Raw> = Received<Raw> | undefined;

/** Sends requests to one group and books what they cost. */
export interface Exchange {
  /** Sends one metered request: takes a permit, reserves units, books the real cost. Rejects with a MarketError. */
  send<Raw>(request: Request<Raw>): Promise<Answered<Raw>>;
  /** Sends GET /health of Group A, which takes no key, no permit and no unit. */
  health(operation: Operation): Promise<AnswerText>;
  /** The line from the point of view of one dataset's requests. */
  line(dataset: string): Line;
  state(): GroupState;
  /** Stops sending: requests that wait for a permit fail. */
  stop(): void;
  /** Aborts the requests in flight: their units stay reserved, and so count as spent. */
  abort(): Promise<void>;
}

export interface ExchangeOptions extends LineOptions {
  ledger: Ledger;
  /** Highest cost that is believed, in units: an answer that states more counts as one unit. */
  maxUnitsPerRequest: number;
  timezone: string;
  now: Clock;
  /** Resolves at the end of this round of the event loop. */
  endOfRound: () => Promise<void>;
  intake: Intake;
  /** Called exactly once for every request, sent or refused. Must not throw. */
  onRequestEnd: (end: RequestEnd) => void;
}

export function createExchange(
  group: Group,
  { baseUrl, key, requestsPerSecond: perSecond, permits, lineSpeeds, siblings }: GroupAccess,
  options: ExchangeOptions,
): Exchange {
  const { ledger, timeoutMs, maxUnitsPerRequest, timezone, now, monotonic } = options;
  const reading = { timezone, now, pause: options.endOfRound };
  const dialect = DIALECTS[group];
  const headers = dialect.headers(key);
  const http = createHttpClient({ group, baseUrl, timeoutMs, monotonic });
  const line = createLine(options, lineSpeeds);
  const limiter = createRateLimiter({ perSecond, permits, monotonic, maxInFlight: MAX_IN_FLIGHT });
  const breaker = createCircuitBreaker(group, monotonic, siblings);
  const health = createHealthCheck(get, options.onRequestEnd);

  async function acquire({ operation, clients }: Request<unknown>, payment: Payment) {
    const permit = await limiter.acquire(operation.deadline, clients);
    const isAbandoned = operation.isAbandoned?.();
    if (permit && !isAbandoned) return permit;
    if (permit) limiter.giveBack(permit);
    payment.withdraw();
    throw isAbandoned ? new Abandoned('RATE_LIMITED', { group }) : noTurn(group);
  }

  async function get(
    path: string,
    keyHeaders: typeof headers,
    end: RequestEnd,
    onStart?: () => void,
  ): Promise<Reply> {
    const sentAt = monotonic();
    Object.assign(end, { wasSent: true, sentAt: performance.now() });
    try {
      const reply = await http.get(path, keyHeaders, onStart);
      Object.assign(end, { status: reply.status, bytes: reply.arrival.bytes });
      return reply;
    } finally {
      end.durationMs = monotonic() - sentAt;
    }
  }

  /** Rejects only if the request was aborted. */
  async function outcomeOf(
    path: string,
    { endpoint, clients }: Request<unknown>,
    permit: Permit,
    end: RequestEnd,
  ): Promise<Outcome> {
    try {
      const sent = get(path, headers, end, () => limiter.noteSent(permit));
      const reply = await sent.finally(() => limiter.noteEnded(permit));
      limiter.noteAnswered(permit);
      // A refusal does not show that answers arrive in time again.
      if (reply.status < 400 || reply.status === 404)
        line.noteEnd(endpoint.name, reply.body, reply.arrival);
      await options.intake(reply.body, clients);
      const outcome = readOutcome(dialect, endpoint, reply, maxUnitsPerRequest);
      if (outcome.result instanceof MarketError && outcome.result.code === 'RATE_LIMITED')
        limiter.noteRefused(permit, retryAfterMs(reply.headers, now()));
      return outcome;
    } catch (error) {
      if (!(error instanceof MarketError) || error instanceof Aborted) throw error;
      line.noteEnd(endpoint.name, error);
      return { units: 0, remaining: undefined, text: { status: 0, body: '' }, result: error };
    }
  }

  /** Makes the request fail before it is sent if the circuit breaker holds back requests with texts, and it has one. */
  const unlessHeld = <R extends Request<unknown>>(request: R): R => ({
    ...request,
    async target(timedOut) {
      const target = await request.target(timedOut);
      if (!target || !breaker.holdsTexts() || !hasFreeInput(target)) return target;
      throw new NotSent('UPSTREAM_UNAVAILABLE', { group });
    },
  });

  async function send<Raw>(request: Sending<Raw>, end: RequestEnd): Promise<Answered<Raw>> {
    const payment = await beginPayment(ledger, request.endpoint, request.operation);
    // By then everything asked for in the same tick is known, and may still join this request.
    await options.endOfRound();
    const permit = await acquire(request, payment);
    // The permit must not stay taken if something fails before the request is sent.
    return sendWith(permit, { ...request, payment }, end).finally(() => limiter.noteEnded(permit));
  }

  async function sendWith<Raw>(
    permit: Permit,
    request: Sending<Raw> & { payment: Payment },
    end: RequestEnd,
  ): Promise<Answered<Raw>> {
    const { endpoint, operation, payment } = request;
    const giveUp = () => {
      payment.withdraw();
      limiter.giveBack(permit);
    };
    const paid = await pay(request, monotonic).catch((error) => {
      giveUp();
      throw error;
    });
    if (!paid) {
      giveUp();
      return undefined;
    }
    const { target, reservation } = paid;
    if (limiter.isLate(permit) && !request.isSecondPermit) {
      reservation.end({ units: 0 });
      giveUp();
      // The request starts over: until its next permit, other processes may take over what it has claimed.
      return send({ ...request, isSecondPermit: true }, end);
    }
    const outcome = await outcomeOf(requestPath(target), request, permit, end);
    const { implausibleUnits, text } = outcome;
    const result = answerTo(target, endpoint, outcome);
    const units = payment.settle(reservation, outcome);
    Object.assign(end, { units, implausibleUnits });
    if (result instanceof MarketError) {
      operation.failed += 1;
      throw result;
    }
    line.noteRecords(endpoint.name, result.data.length, end.bytes);
    return { text, units, answer: await readAnswer(endpoint, result, text, reading) };
  }

  return {
    send(request) {
      const { endpoint, isRetry, operation } = request;
      const { name: dataset, meter, route } = endpoint;
      const client = operation.spender.payer?.name ?? '';
      const known = { dataset, group, meter, route, isRetry, client, trace: operation.trace };
      const check = group === 'A' ? () => health(operation) : undefined;
      return reportEnd(known, options.onRequestEnd, (end) =>
        breaker.run(() => send(unlessHeld(request), end), check),
      );
    },
    health,
    line: line.of,
    state: () => ({ isUp: breaker.isClosed(), ...limiter.state() }),
    stop: limiter.close,
    abort: http.abort,
  };
}
