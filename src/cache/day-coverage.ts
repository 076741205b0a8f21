import type { Clock, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { isFresh } from './cached.ts';
import type { LengthLimit } from './request-length.ts';
import type { Moment } from './requests.ts';
import {
  combine,
  type Days,
  type FilingRules,
  type Order,
  overlayByAge,
  type Segments,
  segmentsOf,
  sizeOf,
} from './segments.ts';
import { lengthOf } from './spans.ts';
import type { Namespace } from './store.ts';

/** What a day range has cached of each key, by day. */
export interface Coverage<K, R> {
  /** What is cached of a key, and the part of it that is fresh. */
  coverageOf(key: K): { all: Segments<R>; fresh: Segments<R> };
  /** Caches an answer about `span`, beneath what has come later. */
  file(key: K, span: Span, answer: Answer<R>, at: Moment): Brought<R>;
  /** Segments of a key, which together cover some days, as one value. */
  daysOf(key: K, parts: Segments<R>): Days<R>;
}

/** What a request brought, and the days that were asked for: there may be more records of those. */
export interface Brought<R> {
  segments: Segments<R>;
  asked: readonly Span[];
}

interface CoverageOptions<K, R> extends FilingRules<R> {
  namespace: Namespace<Segments<R>>;
  monotonic: Clock;
  keyOf(key: K): string;
  /** Learns from every answer. */
  limit: Pick<LengthLimit, 'noteAnswer'>;
}

export function createCoverage<K, R>(options: CoverageOptions<K, R>): Coverage<K, R> {
  const { namespace, monotonic, keyOf, limit } = options;
  let usualOrder: Order = 0;

  return {
    coverageOf(key) {
      const all = namespace.get(keyOf(key)) ?? [];
      return { all, fresh: all.filter((segment) => isFresh(segment, monotonic())) };
    },
    file(key, span, answer, at) {
      const id = keyOf(key);
      const { bytes, records, cutShort } = answer;
      const segments = segmentsOf(answer, span, options, at);
      usualOrder = segments[0]?.order || usualOrder;
      limit.noteAnswer(id, { days: lengthOf(span), bytes, records: records.length, cutShort });
      const all = overlayByAge(namespace.get(id) ?? [], segments);
      namespace.set(id, all, sizeOf(all));
      return { segments, asked: [span] };
    },
    daysOf: (key, parts) => ({
      ...combine(parts, usualOrder),
      isCurrent: namespace.versionCheck(keyOf(key)),
    }),
  };
}
