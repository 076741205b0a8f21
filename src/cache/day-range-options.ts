import type { Maybe } from '../maybe.ts';
import type { AskedSpan } from '../shared/shared.ts';
import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Operation } from '../usage/operation.ts';
import type { DayCoverage } from './day-coverage.ts';
import type { FilingRules } from './filed-days.ts';
import type { WallTime } from './new-days.ts';
import type { CacheOptions, Moment, Requests } from './requests.ts';
import type { Days, Segments } from './segments.ts';
import type { QuestionDays } from './wanted-days.ts';

/** What a day range offers, and what it has to know from its dataset and from the gateway. */

/**
 * Records filed by day, for each key separately. A question is answered from the days that are cached and fresh;
 * missing days are asked for with the fewest requests, or awaited if they are in flight.
 */
export interface DayRange<K, R> extends Pick<DayCoverage<K, R>, 'coverageOf' | 'oldDays'> {
  keyOf(key: K): string;
  /** Returns the days at once if all of them are fresh, otherwise undefined. */
  read(key: K, span: QuestionDays, operation: Operation): Days<R> | undefined;
  /** Returns one result per span. An error is a MarketError, e.g. CutShort, or, in a dry run, DryRunStop. */
  load(key: K, spans: readonly QuestionDays[], operation: Operation): Promise<(Days<R> | Error)[]>;
  /** Waits for a request that has been sent and will bring all of `span`, if there is one; never rejects. */
  whenBrought(key: K, span: Span, operation: Operation): Promise<void>;
  /** Maximum number of days that the upstream accepts in a request for a key, as far as refusals have shown. */
  allowedDays(key: K): number;
  /** Notes that the upstream refused so many days of a key: requests for it stay shorter. */
  noteRefused(key: K, days: number): void;
  /** Caches what others have stored under a key since the last call; returns whether there was anything. */
  catchUp(key: K): Maybe<boolean>;
  /** Caches what is stored under a key in its stored form; ignores keys of other datasets. */
  preload(storedKey: string): Maybe<unknown>;
  /** Caches an answer about `span` that came another way, at `at`. */
  file(key: K, span: AskedSpan, answer: Answer<R>, at: Moment): void;
}

export interface DayRangeOptions<K, R, Raw>
  extends FilingRules<R>, WallTime, CacheOptions<Segments<R>> {
  /** Maximum expected size of the answer to a widened request, in bytes. */
  maxBytes: number;
  /** Maximum size of a day's records in bytes, if that is known: the first request may then be longer. */
  bytesPerDay?: number;
  /**
   * Maximum number of days in a row that are likely to have no records: if the first answer about more days has none,
   * it is provisional. Default: any number.
   */
  maxEmptyDays?(key: K): number;
  /** Whether the upstream is known to have more records of these days than it sends. */
  isKnownCut?(key: K, span: Span): boolean;
  requests: Requests<K, Span, Answer<R>, Raw>;
  /** Called with the text of a key (`keyOf`) and all that is cached under it, whenever an answer has been added. */
  onFiled?(id: string, all: Segments<R>): void;
  /** The days likely to be asked for next, if `asked` were asked for recently; undefined if there are none. */
  prefetch(key: K, asked: Span): Span | undefined;
}
