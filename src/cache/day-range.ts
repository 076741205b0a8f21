import type { Clock, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Operation } from '../usage/operation.ts';
import type { Bound } from './bound.ts';
import { type DayRules, segmentsOf } from './filing.ts';
import {
  createFlights,
  everybodyIsHere,
  type Flight,
  type Flights,
  flightsFor,
} from './flights.ts';
import { type Held, hit, used } from './held.ts';
import { isOverBudget, type Pauses, servesOldData } from './pauses.ts';
import { lengthOf, overlap, planRequests, widen } from './plan.ts';
import { cut, gaps, inUpstreamOrder, type Order, overlay, type Segments } from './segments.ts';
import { BYTES_IN_MEMORY, type Shelf } from './store.ts';

/** The records of the days asked for, in the upstream's order; as old as the oldest of them. */
export type Days<R> = Held<readonly R[]>;

/** The upstream cuts its answers about these days short: they cannot be answered by day. */
export class CutShort extends Error {}

/**
 * Answers filed by day. A question is answered from the days that are here and fresh; the others
 * are asked with the fewest requests, joining what is already on its way.
 */
export interface DayRange<K, R> {
  read(key: K, span: Span, operation: Operation): Days<R> | undefined;
  /** One result a span. An error is a MarketError, or CutShort. */
  load(key: K, spans: readonly Span[], operation: Operation): Promise<(Days<R> | Error)[]>;
  /** Files an answer about `span` that came by another way. */
  file(key: K, span: Span, answer: Answer<R>): Segments<R>;
}

export interface DayRangeOptions<K, R> extends DayRules<R> {
  name: string;
  shelf: Shelf<Segments<R>>;
  pauses: Pauses;
  bound: Bound;
  now: Clock;
  keyOf(key: K): string;
  ask(key: K, span: () => Span, operation: Operation): Promise<Answer<R>>;
  /** Days likely to be asked next; undefined where a request must not grow. */
  wish(key: K): Span | undefined;
}

export function createDayRange<K, R>(options: DayRangeOptions<K, R>): DayRange<K, R> {
  const { name, shelf, pauses, bound, now, keyOf, ask, wish } = options;
  const shared = createFlights<Span, Segments<R>>();
  let usual: Order = 0;

  const freshOf = (segments: Segments<R>) => segments.filter(({ expiresAt }) => now() < expiresAt);

  function file(key: K, span: Span, answer: Answer<R>): Segments<R> {
    const segments = segmentsOf(answer, span, options);
    usual = segments[0]?.order || usual;
    const { bytes, records, cutShort } = answer;
    bound.learn({ days: lengthOf(span), bytes, records: records.length, cutShort });
    const all = overlay(shelf.get(keyOf(key)) ?? [], segments);
    shelf.set(keyOf(key), all, weigh(all, bytes / Math.max(1, records.length)));
    return segments;
  }

  async function fly(key: K, leave: () => Span, operation: Operation): Promise<Segments<R>> {
    await everybodyIsHere(operation);
    let span: Span | undefined;
    const answer = await ask(key, () => (span ??= leave()), operation);
    return file(key, span ?? leave(), answer);
  }

  /** Sends for the days that are missing and not yet on their way. */
  function sendFor(key: K, { flights, missing, fresh }: Situation<R>, operation: Operation): void {
    const id = keyOf(key);
    const maxDays = bound.maxDays();
    const requests = planRequests(missing, spansOf(flights.of(id)), maxDays);
    for (const request of requests) {
      const others = requests.filter((other) => other !== request);
      const taken = [...spansOf(flights.of(id)), ...others];
      if (joinWaiting(flights.of(id), request, taken, maxDays)) continue;
      const wide = widen(request, wish(key) ?? request, { covered: fresh, taken }, maxDays);
      const run = (leave: () => Span) =>
        pauses.guard(`${name} ${id}`, () => fly(key, leave, operation));
      flights.start(id, wide, run);
    }
  }

  /** Waits for the flights that bring missing days of `span` and puts old and new together. */
  async function land(
    key: K,
    span: Span,
    before: Segments<R>,
    awaited: Waiting<R>,
    operation: Operation,
  ): Promise<Days<R> | Error> {
    const landings = await Promise.allSettled(awaited.all.map(({ landed }) => landed));
    const lost = landings.findIndex(({ status }) => status === 'rejected');
    const failure = failureOf(landings[lost]);
    const isJoined = awaited.joined.includes(awaited.all[lost]!);
    if (isJoined && isOverBudget(failure)) return (await load(key, [span], operation))[0]!;
    const brought = landings.map((landing) =>
      landing.status === 'fulfilled' ? landing.value : [],
    );
    const parts = cut(brought.reduce(overlay, before), span);
    if (gaps(parts, span).length > 0) return failure ?? new CutShort();
    if (failure && !servesOldData(failure)) return failure;
    return used({ ...putTogether(parts, usual), stale: failure !== undefined }, operation);
  }

  async function load(key: K, spans: readonly Span[], operation: Operation) {
    const id = keyOf(key);
    const flights = flightsFor(shared, operation);
    const before = shelf.get(id) ?? [];
    const fresh = freshOf(before);
    const missing = spans.map((span) => gaps(fresh, span));
    const earlier = flights.of(id);
    sendFor(key, { flights, missing: missing.flat(), fresh }, operation);
    const underWay = flights.of(id);
    return Promise.all(
      spans.map((span, i) => {
        if (missing[i]!.length === 0) return hit(putTogether(cut(fresh, span), usual), operation);
        const all = underWay.filter((flight) =>
          missing[i]!.some((gap) => overlap(flight.wanted, gap)),
        );
        const joined = all.filter((flight) => earlier.includes(flight));
        if (joined.length > 0) operation.coalesced += 1;
        return land(key, span, before, { all, joined }, operation);
      }),
    );
  }

  return {
    file,
    load,
    read(key, span, operation) {
      const fresh = freshOf(shelf.get(keyOf(key)) ?? []);
      if (gaps(fresh, span).length > 0) return undefined;
      return hit(putTogether(cut(fresh, span), usual), operation);
    },
  };
}

/** The flights that a question waits for; `joined` are those which were there before it came. */
interface Waiting<R> {
  all: readonly DayFlight<R>[];
  joined: readonly DayFlight<R>[];
}

type DayFlight<R> = Flight<Span, Segments<R>>;

/** What is here, what is on its way, and what is missing of a key. */
interface Situation<R> {
  flights: Flights<Span, Segments<R>>;
  missing: readonly Span[];
  fresh: Segments<R>;
}

const spansOf = (flights: readonly DayFlight<unknown>[]) => flights.map(({ wanted }) => wanted);

/** Lets a request that still waits for its turn ask for these days, too. */
function joinWaiting(
  flights: readonly DayFlight<unknown>[],
  request: Span,
  taken: readonly Span[],
  maxDays: number,
): boolean {
  for (const flight of flights.filter(({ hasLeft }) => !hasLeft)) {
    const start = Math.min(flight.wanted.start, request.start);
    const end = Math.max(flight.wanted.end, request.end);
    const others = taken.filter((span) => span !== flight.wanted);
    if (lengthOf({ start, end }) > maxDays) continue;
    if (others.some((span) => overlap(span, { start, end }))) continue;
    flight.wanted = { start, end };
    return true;
  }
  return false;
}

function putTogether<R>(parts: Segments<R>, usual: Order): Days<R> {
  const oldest = parts.reduce((a, b) => (b.origin.retrievedAt < a.origin.retrievedAt ? b : a));
  return {
    value: inUpstreamOrder(parts, usual),
    origin: oldest.origin,
    expiresAt: Math.min(...parts.map(({ expiresAt }) => expiresAt)),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
    stale: false,
  };
}

function failureOf(landing: PromiseSettledResult<unknown> | undefined): Error | undefined {
  if (landing?.status !== 'rejected') return undefined;
  return landing.reason instanceof Error ? landing.reason : new Error(String(landing.reason));
}

/** Weighs records by what one weighed in the answer they came in. */
function weigh(segments: Segments<unknown>, bytesPerRecord: number): number {
  const records = segments.reduce((sum, { entries }) => sum + entries.length, 0);
  return (records * bytesPerRecord + segments.length * 200) * BYTES_IN_MEMORY;
}
