import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { CacheOptions, Requests } from './requests.ts';
import type { FilingRules } from './filed-days.ts';
import type { Segments } from './segments.ts';

/** What a day range has to be told of its dataset, of the gateway, and by who asks. */

export interface AskedDays extends Span {
  /**
   * For the last values of a series. Requests for other keys are not widened to as much, and where the upstream refuses
   * it, the refusal is the outcome even if old data are cached: fewer days can be asked for.
   */
  isReach?: boolean;
}

export interface DayRangeOptions<K, R, Raw> extends FilingRules<R>, CacheOptions<Segments<R>> {
  /** Requests are widened only as long as their answer is expected to be smaller. */
  maxBytes: number;
  /** The bytes that a day's records take at most, where that is known: the first request may be longer. */
  bytesPerDay?: number;
  /** Whether the upstream is known to have more records of these days than it sends. */
  isKnownCut?(key: K, span: Span): boolean;
  requests: Requests<K, Span, Answer<R>, Raw>;
  /** Called with all that is cached of a key, by `keyOf`, whenever an answer has been added to it. */
  onFiled?(id: string, all: Segments<R>): void;
  /** The days likely to be asked for next, if `asked` are asked for lately; undefined: none. */
  prefetch(key: K, asked: Span): Span | undefined;
}
