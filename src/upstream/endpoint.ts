import type { z } from 'zod';
import type { Group, Meter } from '../meters.ts';
import type { Maybe } from '../maybe.ts';
import type { Operation, Warning } from '../usage/operation.ts';
import type { Envelope } from './dialects.ts';
import type { MarketError } from './errors.ts';

/** What one request asks for: the path below the group's base URL, and its query parameters. */
export interface Target {
  /** Path segments; each is encoded, so that no value can change the path. */
  path: readonly string[];
  query?: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns what a request asks for. Called only when the request is about to be sent, so that it can grow as it waits.
 * `timedOut`: an earlier try timed out, so the retry should ask for less. Returns undefined if the request is no longer
 * needed; then nothing is sent.
 */
export type LazyTarget = (timedOut?: MarketError) => Maybe<Target | undefined>;

/** Describes one metered route of the spec (section 4). */
export interface Endpoint<Raw> {
  /** The dataset's name in warnings and logs, e.g. `fx history`. */
  name: string;
  /** The path with names for the parts that vary, e.g. `/v1/fx/rates/{pair}/history`; shown in traces. */
  route: string;
  /** The label of the source if the upstream states none; clients see it as `Provenance.source`. */
  source: string;
  group: Group;
  meter: Meter;
  /**
   * Validates one record of `data` without copying it. It should be compiled (`z.compile`): an answer may
   * hold more than a thousand records.
   */
  record: z.ZodType<unknown, Raw>;
  /** The field that names a record in a warning, e.g. `pair`. */
  label: string;
  /** Whether answers state how many records match (`total`); otherwise a `total` is ignored. */
  statesTotal?: boolean;
  /** Whether 404 means that nothing matches. */
  emptyOn404: boolean;
  /** Whether an answer is about what was asked, as far as it says; without this, every answer is taken to be. */
  isAbout?(
    envelope: Pick<Envelope, 'convert' | 'isAbsent' | 'saysNoData'>,
    target: Target,
  ): boolean;
}

/** One request that is to be sent upstream. */
export interface Request<Raw> {
  endpoint: Endpoint<Raw>;
  target: LazyTarget;
  operation: Operation;
  /** The clients that wait for it, which are served in turn; they may become more until it is sent. */
  clients: ReadonlySet<string>;
  isRetry: boolean;
  /** The failure of an earlier try, if that timed out. */
  timedOut?: MarketError | undefined;
}

/** Where an answer comes from and how old it is (spec sections 2.1 and 2.4). */
export interface Origin {
  /** The upstream's own label of the data source, or that of the endpoint if it states none. */
  source: string;
  /** The time of the data if stated, else the time of retrieval (RFC 3339). */
  asOf: string;
  license: string | null;
  /** Whether the upstream served it from its own cache; null if it does not say. */
  upstreamCached: boolean | null;
  /** Milliseconds since 1970. */
  retrievedAt: number;
  /** Calendar: the IANA zone of the events' times. */
  timezone: string | null;
  /** Crypto: the upstream's timestamp of the prices. */
  timestamp: string | null;
}

/** One validated answer from the upstream. */
export interface Answer<R> {
  origin: Origin;
  /** In the upstream's order. */
  records: readonly R[];
  /** How many records arrived, including those that were left out: not readable, or repeated. Undefined: no others. */
  received?: number;
  /** Legislation: whether the upstream stated more matching records than it returned. */
  cutShort: boolean;
  /** Legislation: how many records match, whether or not all were returned. */
  total: number | null;
  /** Size of the decoded body in bytes of UTF-8. */
  bytes: number;
  warnings: readonly Warning[];
  /** Whether the next answer about the same days may differ even for settled days, e.g. after a 404. */
  isProvisional?: boolean;
  /** Whether it was a 404 without the code for "nothing matches": it may mean that the range is not accepted. */
  isNotFound?: boolean;
}

/** A reply as it arrived, from which the answer can be read again, also by another process. */
export interface AnswerText {
  status: number;
  body: string;
}

/** An answer, and the reply that it was read from. */
export interface Received<Raw> {
  answer: Answer<Raw>;
  text: AnswerText;
  /** What the answer cost. */
  units: number;
}

/** How records are turned into what the graph serves. */
interface Shaping<Raw, R> {
  shape(record: Raw): R;
  /** Identifies a record: if an answer has several with the same key, the last one counts. */
  keyOf(shaped: R): string | number;
}

/**
 * Returns the answer with its records in the shape that the graph serves, each of them once. A record for which
 * `shape` throws is left out with a warning: the answer is paid for, and its other records are good.
 */
export function mapRecords<Raw, R>(
  { name }: Pick<Endpoint<Raw>, 'name'>,
  answer: Answer<Raw>,
  { shape, keyOf }: Shaping<Raw, R>,
): Answer<R> {
  const byKey = new Map<string | number, R>();
  let count = 0;
  for (const record of answer.records) {
    try {
      const shaped = shape(record);
      byKey.set(keyOf(shaped), shaped);
    } catch {
      count += 1;
    }
  }
  const records = [...byKey.values()];
  if (count === 0) return { ...answer, records };
  const message = `${name}: ${count} record(s) could not be read and were left out`;
  return { ...answer, records, warnings: [...answer.warnings, { message, dataset: name, count }] };
}

/** Returns path and query string of `target`, e.g. `/v1/fx/rates/USDTRY/history?start=2026-01-01`. */
export function requestPath({ path, query = {} }: Target): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) params.set(name, value);
  // A space as %20 is read alike by all servers; not all take the + of forms for a space. A plus itself is %2B.
  const search = params.size > 0 ? `?${params.toString().replaceAll('+', '%20')}` : '';
  return `${path.map((segment) => `/${encodeSegment(segment)}`).join('')}${search}`;
}

/** Throws for a segment of dots alone: URL parsers would resolve it, even when encoded, and change the path. */
function encodeSegment(segment: string): string {
  if (/^\.*$/.test(segment)) throw new TypeError('a path segment needs more than dots');
  return encodeURIComponent(segment.toWellFormed());
}
