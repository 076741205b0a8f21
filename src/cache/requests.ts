import type { Aging } from '../spending/lifetimes.ts';
import type { Coverage, Asked, Shared } from '../shared/shared.ts';
import type { UpstreamClient } from '../upstream/client.ts';
import type { Clock } from '../time.ts';
import type { Answer, Endpoint, Target } from '../upstream/endpoint.ts';
import type { Operation } from '../usage/operation.ts';
import type { Namespace } from './store.ts';

/** What a dataset asks of the upstream, and how it reads an answer, whichever process asked for it. */

/**
 * Requests about `P` under a key `K`: some days, some names, or all there is. The cache
 * takes an answer in the shape `A`.
 */
export interface Requests<K, P extends Asked, A, Raw> {
  /** The dataset's own name, under which its answers are stored. */
  name: string;
  endpoint: Endpoint<Raw>;
  /** Returns text that holds everything an answer depends on, besides days or names. */
  keyOf(key: K): string;
  /**
   * The inverse of `keyOf`. For text that `keyOf` has not made, it may return any key or
   * undefined: the caller compares.
   */
  parseKey(text: string): K | undefined;
  /** Other keys whose answers do as well: while another process is asking for one, its answer is awaited. */
  instead?(key: K): readonly K[];
  /**
   * Answers of another dataset that may have what is asked for, by their keys in stored form: while one of them is being
   * requested, it is awaited, but only once.
   */
  elsewhere?(key: K, operation: Operation): readonly string[];
  /** What that dataset has of `asked` once a request has been awaited; undefined if it has nothing fresh of it. */
  fromElsewhere?(key: K, asked: P, operation: Operation): Promise<Found<P, A> | undefined>;
  /** What one request asks for. */
  target(key: K, asked: P): Target;
  /** Whether a request is not repeated after a timeout, because the dataset then asks for something else. */
  noRetry?(key: K): boolean;
  read(answer: Answer<Raw>, key: K): A;
  /** Called with each answer before it is cached, to pass on what it tells other caches of this process. */
  onAnswer?(answer: A, key: K, asked: P, at: Moment): void;
  /** Another question that the answer also answers: other processes find it under that key, too. */
  alsoAnswers?(answer: A, key: K, at: Moment): Coverage | undefined;
}

/** An answer of another dataset in the shape in which this one takes it, what it covers, and when it came. */
interface Found<P, A> {
  asked: P;
  answer: A;
  at: Moment;
}

/** When an answer came, on two clocks. */
export interface Moment {
  /** Wall time: how old a day is, and when a record will change. */
  now: number;
  /** The start of times to live, as `Aging` counts time. */
  aging: number;
}

/** Where answers come from. */
export interface Sources {
  client: Pick<UpstreamClient, 'fetch' | 'read' | 'line'>;
  /** What other processes have, and are asking for; undefined if nothing is shared. */
  shared: Shared | undefined;
  /** How long answers are stored, in milliseconds. */
  keepMs: number;
  /**
   * How long a claim lasts, in milliseconds: a process that has claimed a request and not
   * finished by then is presumed dead.
   */
  leaseMs: number;
}

/** What the gateway gives to every cache. `T` is what the cache keeps under a key. */
export interface CacheOptions<T> {
  namespace: Namespace<T>;
  /** Times waiting and pauses. */
  monotonic: Clock;
  /** The clock of times to live. */
  aging: Aging;
  /** Wall time: how old a day is, and when a record will change. */
  now: Clock;
  sources: Sources;
}

export const storedKeyOf = <K>(
  { name, keyOf }: { name: string; keyOf(key: K): string },
  key: K,
): string => `${name} ${keyOf(key)}`;

/** The key itself, and the others whose answers do as well. */
export const suitableKeys = <K>(
  { instead }: { instead?(key: K): readonly K[] },
  key: K,
): readonly K[] => [key, ...(instead?.(key) ?? [])];
