import type { z } from 'zod';
import type { Group, Meter } from '../meters.ts';
import type { Maybe } from '../maybe.ts';
import type { Operation, Warning } from '../usage/operation.ts';
import type { Envelope } from './dialects.ts';
import type { MarketError } from './errors.ts';

/** What one request asks: the path below the group's base address and its query parameters. */
export interface Target {
  /** Path segments; each is encoded, so that no value can change the path. */
  path: readonly string[];
  query?: Readonly<Record<string, string | undefined>>;
}

/**
 * Says what a request asks. Called when the request leaves, never at once, so that it may grow while it waits. `timedOut`:
 * the answer did not come in time, so that the request is repeated and should ask for less. Undefined: it is needed no
 * more, and nothing is sent.
 */
export type LateTarget = (timedOut?: MarketError) => Maybe<Target | undefined>;

/** Describes one metered route of the spec (section 4), for the client to ask. */
export interface Endpoint<Raw> {
  /** The dataset's name in warnings and logs, e.g. `fx history`. */
  name: string;
  /** The path with names in place of what varies, e.g. `/v1/fx/rates/{pair}/history`: what traces tell. */
  route: string;
  /** The label of the source where the upstream states none (contract: Provenance.source). */
  source: string;
  group: Group;
  meter: Meter;
  /**
   * Checks one record of `data` without copying it. Compile it (`z.compile`): an answer may hold more
   * than a thousand records.
   */
  record: z.ZodType<unknown, Raw>;
  /** The field that names a record in a warning, e.g. `pair`. */
  label: string;
  /** Whether answers state how many records match (`total`); from others it means nothing. */
  statesTotal?: boolean;
  /** Whether 404 means that nothing matches. */
  emptyOn404: boolean;
  /** Whether an answer says of itself that it is about what was asked; by default nothing tells. */
  isAbout?(envelope: Pick<Envelope, 'convert'>, target: Target): boolean;
}

/** One request to the upstream, as it is asked for. */
export interface Request<Raw> {
  endpoint: Endpoint<Raw>;
  target: LateTarget;
  operation: Operation;
  isRetry: boolean;
  /** How it ended before, where it was sent and did not come in time. */
  timedOut?: MarketError | undefined;
}

/** Where an answer comes from and how old it is (spec sections 2.1 and 2.4). */
export interface Origin {
  /** The upstream's own label of the data source. */
  source: string;
  /** The time of the data as stated, else the time of retrieval (RFC 3339). */
  asOf: string;
  license: string | null;
  /** Whether the upstream served it from its own cache; null where it does not say. */
  upstreamCached: boolean | null;
  /** Milliseconds since 1970. */
  retrievedAt: number;
  /** Calendar: the IANA zone of the events' times. */
  timezone: string | null;
  /** Crypto: the upstream's timestamp of the prices. */
  timestamp: string | null;
}

/** One checked answer of the upstream. */
export interface Answer<R> {
  origin: Origin;
  /** In the upstream's order. */
  records: readonly R[];
  /** Legislation: the upstream stated more matching records than it returned. */
  cutShort: boolean;
  /** Legislation: how many records match, whether or not all were returned. */
  total: number | null;
  /** The size of the body. */
  bytes: number;
  warnings: readonly Warning[];
  /** Whether the next answer about the same days may differ, even where days are settled, e.g. after a 404. */
  isProvisional?: boolean;
}

/** A reply as it came: what an answer can be read from again, also by another process. */
export interface AnswerText {
  status: number;
  body: string;
}

/** An answer, and what it was read from. */
export interface Received<Raw> {
  answer: Answer<Raw>;
  text: AnswerText;
  /** What it has cost. */
  units: number;
}

/** How records become what the graph serves. */
interface Shaping<Raw, R> {
  shape(record: Raw): R;
  /** Identifies a record: of several in an answer with the same key, the last one counts. */
  keyOf(shaped: R): string | number;
}

/**
 * The same answer with its records in the shape that the graph serves, each of them once. A record that
 * `shape` throws for is left out with a warning: the answer is paid, and its other records are good.
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

/** The request target of `target`, e.g. `/v1/fx/rates/USDTRY/history?start=2026-01-01`. */
export function requestPath({ path, query = {} }: Target): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) params.set(name, value);
  const search = params.size > 0 ? `?${params.toString()}` : '';
  return `${path.map((segment) => `/${encodeSegment(segment)}`).join('')}${search}`;
}

/** URL parsers would resolve a segment of dots alone, even an encoded one, and change the path. */
function encodeSegment(segment: string): string {
  if (/^\.*$/.test(segment)) throw new TypeError('a path segment needs more than dots');
  return encodeURIComponent(segment.toWellFormed());
}
