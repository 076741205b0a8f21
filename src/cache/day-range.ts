import type { Clock, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { noteJoined, type Operation } from '../usage/operation.ts';
import { allowsStale, CutShort, isFresh, isRefused, serve, serveHit } from './cached.ts';
import { createLengthLimit, createRecentRanges } from './request-length.ts';
import {
  combine,
  cut,
  type Days,
  type FilingRules,
  type Order,
  overlay,
  type Segments,
  segmentsOf,
  sizeOf,
} from './segments.ts';
import {
  addToWaiting,
  createInFlight,
  type Dispatch,
  failedForOther,
  type InFlight,
  settle,
} from './single-flight.ts';
import { contains, gaps, hullOf, lengthOf, merge, overlap, planRequests, widen } from './spans.ts';
import type { Namespace } from './store.ts';

/**
 * Records filed by day, under a key each. A question is answered from the days that are cached and
 * fresh; the missing ones are asked for with the fewest requests, or awaited where they are in flight.
 */
export interface DayRange<K, R> {
  keyOf(key: K): string;
  /** What is fresh, at once: all of the days or nothing. */
  read(key: K, span: Span, operation: Operation): Days<R> | undefined;
  /** One result a span. An error is a MarketError, or CutShort. */
  load(key: K, spans: readonly Span[], operation: Operation): Promise<(Days<R> | Error)[]>;
  /** Caches an answer about `span` that came by another way. */
  file(key: K, span: Span, answer: Answer<R>): Segments<R>;
}

export interface DayRangeOptions<K, R> extends FilingRules<R> {
  namespace: Namespace<Segments<R>>;
  monotonic: Clock;
  /** Wall time: how old a day is, and when a record will change. */
  now: Clock;
  /** Requests are widened only as long as their answer is expected to be smaller. */
  maxBytes: number;
  /** The bytes that a day's records take at most, where that is known: the first request may be longer. */
  bytesPerDay?: number;
  keyOf(key: K): string;
  /** One upstream request; `span` is to be called when it leaves: until then it may be widened. */
  fetch(key: K, span: () => Span, operation: Operation): Promise<Answer<R>>;
  /** The days likely to be asked for next, if `asked` are asked for lately; undefined: none. */
  prefetch(key: K, asked: Span): Span | undefined;
}

export function createDayRange<K, R>(options: DayRangeOptions<K, R>): DayRange<K, R> {
  const { namespace, monotonic, now, keyOf } = options;
  const inFlight = createInFlight<Wanted, Segments<R>>(monotonic);
  const limit = createLengthLimit(options.maxBytes, options.bytesPerDay);
  const recent = createRecentRanges();
  let usualOrder: Order = 0;

  /** What is cached of a key, and the part of it that is fresh. */
  function coverageOf(key: K) {
    const all = namespace.get(keyOf(key)) ?? [];
    return { all, fresh: all.filter((segment) => isFresh(segment, monotonic())) };
  }

  function file(key: K, span: Span, answer: Answer<R>): Segments<R> {
    const id = keyOf(key);
    const { bytes, records, cutShort } = answer;
    const segments = segmentsOf(answer, span, options, { monotonic: monotonic(), now: now() });
    usualOrder = segments[0]?.order || usualOrder;
    limit.noteAnswer(id, { days: lengthOf(span), bytes, records: records.length, cutShort });
    const all = overlay(namespace.get(id) ?? [], segments);
    namespace.set(id, all, sizeOf(all));
    return segments;
  }

  const daysOf = (key: K, parts: Segments<R>): Days<R> => ({
    ...combine(parts, usualOrder),
    isCurrent: namespace.versionCheck(keyOf(key)),
  });

  const sendFor = (key: K, operation: Operation) => async (dispatch: Dispatch<Wanted>) => {
    const answer = await options.fetch(key, () => dispatch(), operation);
    return file(key, dispatch(), answer);
  };

  /** Asks for missing days that are not in flight: with new requests, or with those that still wait. */
  function requestMissing(
    key: K,
    missing: readonly Span[],
    fresh: Segments<R>,
    operation: Operation,
  ) {
    const id = keyOf(key);
    const requests = inFlight(operation);
    const maxDays = limit.maxDays(id);
    const planned = planRequests(missing, wantedBy(requests.of(id)), maxDays);
    for (const [i, span] of planned.entries()) {
      const busy = [...wantedBy(requests.of(id)), ...planned.slice(i + 1)];
      const others = (wanted: Span) => busy.filter((other) => other !== wanted);
      const add = (wanted: Wanted) =>
        wanted.isExact ? undefined : merge(wanted, span, others(wanted), maxDays);
      if (addToWaiting(requests.of(id), add)) continue;
      const expiresAt = monotonic() + options.freshFor(span.end, now());
      // Days that would expire before the new ones do are asked for again along with them.
      const covered = fresh.filter((segment) => segment.expiresAt >= expiresAt);
      const target = options.prefetch(key, recent.hull() ?? span) ?? span;
      const wanted = widen(span, target, { covered, busy }, maxDays);
      requests.start(id, wanted, sendFor(key, operation));
    }
    return requests.of(id);
  }

  /** Waits for the requests that bring missing days of `span`, and puts cached and new days together. */
  async function waitFor(
    key: K,
    span: Span,
    cached: { all: Segments<R>; fresh: Segments<R> },
    requests: readonly DayRequest<R>[],
    operation: Operation,
  ): Promise<Days<R> | Error> {
    const { brought, failed } = await settle(requests);
    if (failed) {
      const { request, error } = failed;
      if (isRefused(error) && !contains(span, request.wanted)) {
        const refused = lengthOf(request.wanted);
        if (refused > lengthOf(span)) limit.noteRefused(keyOf(key), refused);
        return askExactly(key, span, operation);
      }
      if (failedForOther(request, operation, error))
        return (await load(key, [span], operation))[0]!;
    }
    // Days past their time to live count only if their refresh failed, not if it was cut short.
    const parts = cut(brought.reduce(overlay, failed ? cached.all : cached.fresh), span);
    if (gaps(parts, span).length > 0) return failed?.error ?? new CutShort();
    if (failed && !allowsStale(failed.error)) return failed.error;
    return serve({ ...daysOf(key, parts), stale: failed !== undefined }, operation);
  }

  /** The days of a question alone, after a request for more was refused: nobody asked for those. */
  function askExactly(key: K, span: Span, operation: Operation) {
    const cached = coverageOf(key);
    const missing = hullOf(gaps(cached.fresh, span));
    if (!missing) return waitFor(key, span, cached, [], operation);
    const requests = inFlight(operation);
    const same = requests.of(keyOf(key)).find(({ wanted }) => isSame(wanted, missing));
    const exact = { ...missing, isExact: true };
    const request = same ?? requests.start(keyOf(key), exact, sendFor(key, operation));
    return waitFor(key, span, cached, [request], operation);
  }

  async function load(key: K, spans: readonly Span[], operation: Operation) {
    const cached = coverageOf(key);
    const missing = spans.map((span) => gaps(cached.fresh, span));
    // A dry run teaches nothing: it is free, and would make the requests of others longer.
    if (!operation.estimate) spans.forEach(recent.note);
    const requests = requestMissing(key, missing.flat(), cached.fresh, operation);
    return Promise.all(
      spans.map((span, i) => {
        if (missing[i]!.length === 0)
          return serveHit(daysOf(key, cut(cached.fresh, span)), operation);
        const awaited = requests.filter(({ wanted }) =>
          missing[i]!.some((gap) => overlap(wanted, gap)),
        );
        noteJoined(operation, awaited);
        return waitFor(key, span, cached, awaited, operation);
      }),
    );
  }

  return {
    keyOf,
    file,
    load,
    read(key, span, operation) {
      const { fresh } = coverageOf(key);
      if (gaps(fresh, span).length > 0) return undefined;
      if (!operation.estimate) recent.note(span);
      return serveHit(daysOf(key, cut(fresh, span)), operation);
    },
  };
}

/** `isExact`: these days and no others, so that a refusal is about them. */
type Wanted = Span & { isExact?: boolean };

type DayRequest<R> = InFlight<Wanted, Segments<R>>;

const wantedBy = (requests: readonly DayRequest<unknown>[]) => requests.map(({ wanted }) => wanted);

const isSame = (a: Span, b: Span) => a.start === b.start && a.end === b.end;
