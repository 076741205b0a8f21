import type { Clock, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { MarketError } from '../upstream/errors.ts';
import type { Operation } from '../usage/operation.ts';
import type { Bound } from './bound.ts';
import { type DayRules, segmentsOf } from './filing.ts';
import { createFlights, type Flight, type Flights, flightsFor } from './flights.ts';
import { type Days, putTogether, weigh } from './days.ts';
import { createHabit } from './habit.ts';
import { hit, isFresh, used } from './held.ts';
import { endsWithItsOwner, isRefused, type Pauses, servesOldData } from './pauses.ts';
import { lengthOf, overlap, planRequests, together, widen } from './plan.ts';
import { cut, gaps, type Order, overlay, type Segments } from './segments.ts';
import type { Shelf } from './store.ts';

/** The upstream cuts its answers about these days short: they cannot be answered by day. */
export class CutShort extends MarketError {
  constructor() {
    super('UPSTREAM_BAD_RESPONSE', { message: 'The upstream has more records than it sends' });
  }
}

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
  /** Calls `span` when the request leaves: until then it may grow. */
  ask(key: K, span: () => Span, operation: Operation): Promise<Answer<R>>;
  /** Days likely to be asked next, if others are `asked` lately; undefined: do not grow. */
  wish(key: K, asked: Span): Span | undefined;
}

export function createDayRange<K, R>(options: DayRangeOptions<K, R>): DayRange<K, R> {
  const { name, shelf, pauses, bound, now, keyOf, ask, wish } = options;
  const shared = createFlights<Span, Segments<R>>();
  const habit = createHabit();
  let usual: Order = 0;

  const freshOf = (segments: Segments<R>) => segments.filter((segment) => isFresh(segment, now()));

  function file(key: K, span: Span, answer: Answer<R>): Segments<R> {
    const id = keyOf(key);
    const segments = segmentsOf(answer, span, options);
    usual = segments[0]?.order || usual;
    const { bytes, records, cutShort } = answer;
    bound.learn(id, { days: lengthOf(span), bytes, records: records.length, cutShort });
    const all = overlay(shelf.get(id) ?? [], segments);
    shelf.set(id, all, weigh(all));
    return segments;
  }

  function view(key: K, parts: Segments<R>): Days<R> {
    return { ...putTogether(parts, usual), isCurrent: shelf.seal(keyOf(key)) };
  }

  async function fly(key: K, leave: () => Span, operation: Operation): Promise<Segments<R>> {
    let span: Span | undefined;
    const answer = await ask(key, () => (span ??= leave()), operation);
    return file(key, span ?? leave(), answer);
  }

  /** A request with what is likely to be asked next, and what would expire before it does. */
  function grow(key: K, request: Span, fresh: Segments<R>, taken: readonly Span[]): Span {
    const expiresAt = options.expiresAt(request.end, now());
    const covered = fresh.filter((segment) => segment.expiresAt >= expiresAt);
    const wished = wish(key, habit.reach() ?? request) ?? request;
    return widen(request, wished, { covered, taken }, bound.maxDays(keyOf(key)));
  }

  /** Sends for the days that are missing and not yet on their way. */
  function sendFor(key: K, { flights, missing, fresh }: Situation<R>, operation: Operation): void {
    const id = keyOf(key);
    const maxDays = bound.maxDays(id);
    const requests = planRequests(missing, spansOf(flights.of(id)), maxDays);
    for (const [i, request] of requests.entries()) {
      const taken = [...spansOf(flights.of(id)), ...requests.slice(i + 1)];
      if (joinWaiting(flights.of(id), request, taken, maxDays)) continue;
      const run = (leave: () => Span) =>
        pauses.guard(`${name} ${id}`, () => fly(key, leave, operation));
      flights.start(id, grow(key, request, fresh, taken), run);
    }
  }

  /** Waits for the flights that bring missing days of `span` and puts old and new together. */
  async function land(
    key: K,
    span: Span,
    here: { before: Segments<R>; fresh: Segments<R> },
    awaited: Waiting<R>,
    operation: Operation,
  ): Promise<Days<R> | Error> {
    const landings = await Promise.allSettled(awaited.all.map(({ landed }) => landed));
    const lost = landings.findIndex(({ status }) => status === 'rejected');
    const failure = failureOf(landings[lost]);
    const isJoined = awaited.joined.includes(awaited.all[lost]!);
    const grown = lost < 0 ? 0 : lengthOf(awaited.all[lost]!.wanted);
    // It is not asked again at once: a refusal says no. The next question will ask for less.
    if (isRefused(failure) && grown > lengthOf(span)) bound.refuse(keyOf(key), grown);
    if (isJoined && endsWithItsOwner(failure)) return (await load(key, [span], operation))[0]!;
    const brought = landings.map((landing) =>
      landing.status === 'fulfilled' ? landing.value : [],
    );
    // What is past its time to live counts only where a refresh failed, not where one was cut short.
    const parts = cut(brought.reduce(overlay, failure ? here.before : here.fresh), span);
    if (gaps(parts, span).length > 0) return failure ?? new CutShort();
    if (failure && !servesOldData(failure)) return failure;
    return used({ ...view(key, parts), stale: failure !== undefined }, operation);
  }

  async function load(key: K, spans: readonly Span[], operation: Operation) {
    const id = keyOf(key);
    const flights = flightsFor(shared, operation);
    const before = shelf.get(id) ?? [];
    const fresh = freshOf(before);
    const missing = spans.map((span) => gaps(fresh, span));
    spans.forEach(habit.note);
    const earlier = flights.of(id);
    sendFor(key, { flights, missing: missing.flat(), fresh }, operation);
    const underWay = flights.of(id);
    return Promise.all(
      spans.map((span, i) => {
        if (missing[i]!.length === 0) return hit(view(key, cut(fresh, span)), operation);
        const all = underWay.filter((flight) =>
          missing[i]!.some((gap) => overlap(flight.wanted, gap)),
        );
        const joined = all.filter((flight) => earlier.includes(flight));
        if (joined.length > 0) operation.coalesced += 1;
        return land(key, span, { before, fresh }, { all, joined }, operation);
      }),
    );
  }

  return {
    file,
    load,
    read(key, span, operation) {
      const fresh = freshOf(shelf.get(keyOf(key)) ?? []);
      if (gaps(fresh, span).length > 0) return undefined;
      habit.note(span);
      return hit(view(key, cut(fresh, span)), operation);
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
  return flights.some((flight) => {
    const others = taken.filter((span) => span !== flight.wanted);
    const both = flight.hasLeft ? undefined : together(flight.wanted, request, others, maxDays);
    if (both) flight.wanted = both;
    return both !== undefined;
  });
}

function failureOf(landing: PromiseSettledResult<unknown> | undefined): Error | undefined {
  if (landing?.status !== 'rejected') return undefined;
  return landing.reason instanceof Error ? landing.reason : new Error(String(landing.reason));
}
