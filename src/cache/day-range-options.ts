import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { CacheOptions, Requests } from './requests.ts';
import type { FilingRules } from './filed-days.ts';
import type { WallTime } from './new-days.ts';
import type { Segments } from './segments.ts';

/** What a day range has to know from its dataset, from the gateway, and from a question. */

export interface AskedDays extends Span {
  /**
   * Whether the days are asked for to find the last values of a series. They do not make requests for
   * other keys longer, and if the upstream refuses them, the refusal is the result even if old data is
   * cached: fewer days can be asked for.
   */
  isForLastValues?: boolean;
}

export interface DayRangeOptions<K, R, Raw>
  extends FilingRules<R>, WallTime, CacheOptions<Segments<R>> {
  /** Maximum expected size of the answer to a widened request, in bytes. */
  maxBytes: number;
  /** Maximum size of a day's records in bytes, if that is known: the first request may then be longer. */
  bytesPerDay?: number;
  /** Whether the upstream is known to have more records of these days than it sends. */
  isKnownCut?(key: K, span: Span): boolean;
  requests: Requests<K, Span, Answer<R>, Raw>;
  /** Called with the text of a key (`keyOf`) and all that is cached under it, whenever an answer has been added. */
  onFiled?(id: string, all: Segments<R>): void;
  /** The days likely to be asked for next, if `asked` were asked for recently; undefined if there are none. */
  prefetch(key: K, asked: Span): Span | undefined;
}
