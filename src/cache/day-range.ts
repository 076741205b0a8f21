import { ABOUT } from '../shared/asked.ts';
import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { noteJoined, noteNotJoined, type Operation } from '../usage/operation.ts';
import { CutShort, isRefused, NotFoundInMore, serve, serveHit } from './cached.ts';
import { createGrowth } from './growth.ts';
import { createRecentRanges } from './recent-ranges.ts';
import { createLengthLimit } from './request-length.ts';
import type { DayRange, DayRangeOptions } from './day-range-options.ts';
import type { Days, Segments } from './segments.ts';
import {
  addToWaiting,
  createInFlight,
  failedForOther,
  type InFlight,
  settle,
} from './single-flight.ts';
import { planRequests, widen } from './plan.ts';
import { contains, gaps, isSame, lengthOf, overlap } from '../spans.ts';
import { createCoverage } from './day-coverage.ts';
import { type Brought, type CachedDays, partsOf } from './parts-of-answer.ts';
import {
  type QuestionDays,
  askedBy,
  isForFewer,
  neededBy,
  type OpenDays,
  openDaysOf,
  restOf,
  wantedBy,
  type WantedDays,
  whenBrought,
  withDays,
  withOthers,
} from './wanted-days.ts';
import { mayBeWhole } from './seems-cut.ts';
import { createSupply } from './supply.ts';

/** Plans, shares and combines the requests of a day range; what it offers is described in day-range-options.ts. */

export function createDayRange<K, R, Raw>(options: DayRangeOptions<K, R, Raw>): DayRange<K, R> {
  const { monotonic, aging, now, requests: described, sources, isKnownCut = () => false } = options;
  const { keyOf } = described;
  const inFlight = createInFlight<WantedDays, Brought<R>>(monotonic, neededBy);
  const limit = createLengthLimit(options.maxBytes, options.bytesPerDay);
  const growth = createGrowth(sources.client.line(described.endpoint), limit);
  const recent = createRecentRanges(`${described.name} recent`, { ...sources, monotonic });
  const coverage = createCoverage<K, R>({ ...options, limit });
  const { coverageOf, missingOf, file, daysOf } = coverage;
  const supply = createSupply<K, WantedDays, Span, Answer<R>, Raw, Brought<R>>(described, {
    ...options,
    about: ABOUT.days,
    file,
    isEmpty: ({ records }) => records.length === 0,
    isRejected: ({ isNotFound }, asked, wanted) => isNotFound === true && isForFewer(wanted, asked),
    withOthers,
    askedBy,
    narrowed: (wanted, key) => growth.afterTimeout(keyOf(key), wanted),
    missing: (key, wanted, operation) =>
      isKnownCut(key, wanted.needed)
        ? undefined
        : restOf(wanted, missingOf(key, wanted.needed, operation)),
    isFresh: (key, { needed }, operation) => missingOf(key, needed, operation) === undefined,
    held: coverage.heldOf,
  });

  const sendFor = (key: K, span: Span, operation: Operation) => {
    const old = coverage.oldOf(key, span, operation);
    return (wanted: () => WantedDays, clients: ReadonlySet<string>) =>
      supply.bring({ key, wanted, operation, old, clients });
  };

  /** Asks for missing days that are not in flight, in new requests or in those that have not been sent yet. */
  function requestMissing(
    key: K,
    { missing, longest, isNarrow, isTentative }: OpenDays,
    fresh: Segments<R>,
    operation: Operation,
  ) {
    const id = keyOf(key);
    const requests = inFlight(operation);
    // A span is one request if nothing of it is cached; a cached part must not make it several.
    const maxDays = Math.max(growth.maxDaysInTime(id), Math.min(longest, limit.allowedDays(id)));
    const planned = planRequests(missing, wantedBy(requests.of(id)), maxDays);
    for (const [i, needed] of planned.entries()) {
      const busy = [...wantedBy(requests.of(id)), ...planned.slice(i + 1)];
      const add = (wanted: WantedDays) => withDays(wanted, needed, busy, maxDays);
      if (addToWaiting(requests.of(id), add)) continue;
      const expiresAt = aging.now() + options.freshFor(needed.end, now());
      // Fresh days that expire earlier than the new ones will are asked for again, along with them.
      const covered = fresh.filter((segment) => segment.expiresAt >= expiresAt);
      const target = options.prefetch(key, recent.hull() ?? needed) ?? needed;
      const most = isNarrow ? 0 : growth.maxDaysWidened(id, needed);
      const wanted = widen(needed, target, { covered, busy }, most);
      const asked = { ...wanted, needed, parts: missing, isTentative };
      requests.start(id, asked, sendFor(key, needed, operation));
    }
    return requests.of(id);
  }

  /** Waits for the requests that bring missing days of `span`, and combines cached and new days. */
  async function waitFor(
    key: K,
    span: QuestionDays,
    cached: CachedDays<R>,
    requests: readonly InFlight<WantedDays, Brought<R>>[],
    operation: Operation,
  ): Promise<Days<R> | Error> {
    const settled = await settle(requests);
    const { failed } = settled;
    const askAgain = async () => {
      noteNotJoined(operation, requests);
      return (await load(key, [span], operation))[0]!;
    };
    if (failed) {
      const { request, error } = failed;
      const isNotFound = error instanceof NotFoundInMore;
      if (isNotFound && span.isTentative) return error;
      const isMore =
        isNotFound ||
        !contains(span, request.wanted) ||
        gaps(cached.fresh, request.wanted).length > 1;
      if (isRefused(error) && isMore) {
        const days = lengthOf(request.wanted);
        (isNotFound ? limit.noteNotFound : limit.noteRefused)(keyOf(key), days);
        noteNotJoined(operation, requests);
        return askExactly(key, span, operation);
      }
      const isKnown = gaps(cached.all, span).length === 0;
      if (failedForOther(request, operation, error, isKnown)) return askAgain();
    }
    const parts = partsOf(span, cached, settled, options);
    if (parts === 'not asked for') return askAgain();
    const restDays = () => lengthOf(missingOf(key, span, operation) ?? span);
    const fits = () => restDays() <= limit.maxDaysTogether(keyOf(key));
    if (parts instanceof CutShort && mayBeWhole(requests, settled, fits))
      return askExactly(key, span, operation);
    if (parts instanceof Error) return parts;
    return serve(daysOf(key, parts, span, failed), operation);
  }

  /**
   * Asks for the missing days of a question alone, after a request for more was refused: it may have been widened, or
   * have included cached days that joined two gaps into one request. A 404 is then believed.
   */
  function askExactly(key: K, span: QuestionDays, operation: Operation) {
    const cached = coverageOf(key, operation);
    const id = keyOf(key);
    const requests = inFlight(operation);
    const planned = planRequests(gaps(cached.fresh, span), [], limit.allowedDays(id));
    const exact = planned.map((needed) => {
      const same = requests.of(id).find(({ wanted }) => isSame(wanted, needed));
      const wanted = { ...needed, needed, isExact: true };
      return same ?? requests.start(id, wanted, sendFor(key, needed, operation));
    });
    noteJoined(operation, exact);
    return waitFor(key, span, cached, exact, operation);
  }

  async function load(key: K, spans: readonly QuestionDays[], operation: Operation) {
    for (const update of [supply.catchUp(key), recent.update()])
      if (update instanceof Promise) await update;
    const cached = coverageOf(key, operation);
    const missing = spans.map((span) => (isKnownCut(key, span) ? [] : gaps(cached.fresh, span)));
    // Dry runs are not noted: they are free, and would make the requests of others longer.
    if (!operation.estimate)
      spans.filter(({ isForLastValues }) => !isForLastValues).forEach(recent.note);
    const requests = requestMissing(key, openDaysOf(spans, missing), cached.fresh, operation);
    return Promise.all(
      spans.map((span, i) => {
        if (isKnownCut(key, span)) return new CutShort();
        if (missing[i]!.length === 0) return serveHit(daysOf(key, cached.fresh, span), operation);
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
    coverageOf,
    oldDays: coverage.oldDays,
    file,
    load,
    whenBrought: (key, span, operation) => whenBrought(span, inFlight(operation).of(keyOf(key))),
    allowedDays: (key) => limit.allowedDays(keyOf(key)),
    noteRefused: (key, days) => limit.noteRefused(keyOf(key), days),
    catchUp: supply.catchUp,
    preload: supply.preload,
    read(key, span, operation) {
      const { fresh } = coverageOf(key, operation);
      if (gaps(fresh, span).length > 0) return undefined;
      if (!operation.estimate && !span.isForLastValues) recent.note(span);
      return serveHit(daysOf(key, fresh, span), operation);
    },
  };
}
