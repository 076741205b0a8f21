import type { AskedSpan } from '../shared/shared.ts';
import { firstToExpire, type Lifetime } from '../spending/lifetimes.ts';
import { type Span, DAY_MS } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Operation } from '../usage/operation.ts';
import { isFresh, isUsable, metadataOf } from './cached.ts';
import { type FilingRules, segmentsOf } from './filed-days.ts';
import { presumedTotal, seemsCutShort } from './seems-cut.ts';
import { fitting } from './fitting-days.ts';
import { isUnsure, outlasting } from './seems-emptied.ts';
import { upToToday, type WallTime } from './new-days.ts';
import { onDemand } from './on-demand.ts';
import type { Brought, CachedDays } from './parts-of-answer.ts';
import type { LengthLimit } from './request-length.ts';
import type { CacheOptions, Moment } from './requests.ts';
import {
  clip,
  type Days,
  inUpstreamOrder,
  type Order,
  overlay,
  overlayByAge,
  type Segments,
  sizeOf,
  within,
  withoutRepeats,
} from './segments.ts';
import { gaps, hullOf, lengthOf } from '../spans.ts';

/** What a day range has cached of each key, by day. */
export interface DayCoverage<K, R> {
  coverageOf(key: K, operation: Operation): CachedDays<R>;
  /** From the first to the last day of `span` that is not fresh; undefined if all are fresh. */
  missingOf(key: K, span: Span, operation: Operation): Span | undefined;
  /** The fresh part of some days. */
  heldOf(key: K, span: Span, operation: Operation): Brought<R>;
  /**
   * When the part of `span` that expired first came and expired; undefined if a day is not cached, or none has expired.
   */
  oldOf(key: K, span: Span, operation: Operation): Lifetime | undefined;
  /** Caches an answer about `span`; segments that came later than it are kept. */
  file(key: K, span: AskedSpan, answer: Answer<R>, at: Moment): Brought<R>;
  /** Some days of a key as one value; `segments` must cover them. `failed`: it is stale, because of `error`. */
  daysOf(key: K, segments: Segments<R>, span: Span, failed?: { error?: Error }): Days<R>;
  /** Some days, however old they are; undefined if one is not cached. */
  oldDays(key: K, span: Span, operation: Operation): Days<R> | undefined;
}

interface CoverageOptions<K, R>
  extends FilingRules<R>, WallTime, Pick<CacheOptions<Segments<R>>, 'namespace' | 'aging'> {
  requests: { endpoint: { name: string }; keyOf(key: K): string };
  onFiled?(id: string, all: Segments<R>): void;
  maxEmptyDays?(key: K): number;
  /** Learns from every answer. */
  limit: Pick<LengthLimit, 'noteAnswer'>;
}

/**
 * How far the wall clock may have been ahead without harm, in milliseconds: days count as settled after a week,
 * and releases may be a day late.
 */
const CLOCK_ERROR_MS = 2 * DAY_MS;

export function createCoverage<K, R>(options: CoverageOptions<K, R>): DayCoverage<K, R> {
  const { namespace, aging, now, limit, otherZone } = options;
  const { keyOf, endpoint } = options.requests;
  const dataset = endpoint.name;
  let usualOrder: Order = 0;

  function isGoodFor({ spender: { priority } }: Operation) {
    // An answer from the future came while the wall clock was ahead: recent days may have been taken for settled ones.
    const latest = now() + CLOCK_ERROR_MS;
    return (segment: Segments<R>[number]) =>
      isFresh(segment, priority, aging) && segment.origin.retrievedAt <= latest;
  }

  function coverageOf(key: K, operation: Operation) {
    const all = namespace.get(keyOf(key)) ?? [];
    const fresh = all.filter(isGoodFor(operation));
    // While units are saved, a midnight must not cost one for each series.
    const isLasting = aging.stretch() > 1 && fresh.at(-1) === all.at(-1);
    const asked = aging.now();
    return {
      all,
      fresh: isLasting ? upToToday(fresh, options) : fresh,
      isUsable: (segment: Segments<R>[number]) => isUsable(segment, asked, operation, aging),
    };
  }

  function daysOf(key: K, segments: Segments<R>, span: Span, failed?: { error?: Error }): Days<R> {
    const parts = within(segments, span);
    const order = usualOrder;
    const records = onDemand(() => {
      const days = clip(parts, span);
      return inUpstreamOrder(otherZone ? withoutRepeats(days, otherZone.keyOf) : days, order);
    });
    return {
      ...metadataOf(parts),
      get value() {
        return records();
      },
      dataset,
      aging,
      failure: failed?.error,
      stale: failed !== undefined || parts.some(({ isOld }) => isOld),
      isCurrent: namespace.versionCheck(keyOf(key)),
    };
  }

  return {
    coverageOf,
    missingOf: (key, span, operation) => hullOf(gaps(coverageOf(key, operation).fresh, span)),
    heldOf: (key, span, operation) => ({
      segments: clip(coverageOf(key, operation).fresh, span),
      asked: [],
    }),
    oldOf(key, span, operation) {
      const all = upToToday(namespace.get(keyOf(key)) ?? [], options);
      if (gaps(all, span).length > 0) return undefined;
      const isGood = isGoodFor(operation);
      const old = clip(all, span).filter((segment) => !isGood(segment));
      return old.length > 0 ? firstToExpire(old) : undefined;
    },
    file(key, span, answer, at) {
      const id = keyOf(key);
      const seemsCut = span.isWidened === true && seemsCutShort(answer, span, options);
      const filed = seemsCut ? { ...answer, cutShort: true } : answer;
      const records = answer.received ?? answer.records.length;
      const known = namespace.get(id) ?? [];
      const isProvisional = isUnsure(filed, span, known, options.maxEmptyDays?.(key));
      const brought = segmentsOf({ ...filed, isProvisional }, span, { ...options, dataset }, at);
      const segments = overlay(brought, outlasting(known, brought));
      usualOrder = brought[0]?.order || usualOrder;
      const total = seemsCut ? presumedTotal(records, span, brought) : answer.total;
      limit.noteAnswer(id, { ...filed, days: lengthOf(span), records, total });
      const all = fitting(
        overlayByAge(known, segments, at.aging),
        answer.origin,
        namespace.maxBytes,
      );
      namespace.set(id, all, sizeOf(all));
      options.onFiled?.(id, all);
      return { segments, asked: [span], seemsCut };
    },
    daysOf,
    oldDays(key, span, operation) {
      const { all } = coverageOf(key, operation);
      return gaps(all, span).length > 0 ? undefined : daysOf(key, all, span, {});
    },
  };
}
