import type { z } from 'zod';
import type { Meter, Warning } from '../usage/operation.ts';
import type { Group } from './errors.ts';

/** What one request asks: the path below the group's base address and its query parameters. */
export interface Target {
  /** Path segments; each is encoded, so that no value can change the path. */
  path: readonly string[];
  query?: Readonly<Record<string, string | undefined>>;
}

/** One metered route of the spec (section 4), described: the client interprets it. */
export interface Endpoint<Raw> {
  /** The dataset's name in warnings and logs, e.g. `fx history`. */
  name: string;
  /** The label of the source where the upstream states none (contract: Provenance.source). */
  source: string;
  group: Group;
  meter: Meter;
  /**
   * Checks one record of `data`; what the graph serves is made of it afterwards, without a copy in
   * between. It is compiled (`z.compile`): a page reads more than a thousand records.
   */
  record: z.ZodType<unknown, Raw>;
  /** Names a record in a warning, by a field of it. */
  label: string;
  /** Whether 404 means that nothing matches. */
  emptyOn404: boolean;
}

/** Where an answer comes from and how old it is. */
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

/** One answer of the upstream, checked. */
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
}

/** An answer whose records are what the graph serves. */
export function shaped<Raw, R>(answer: Answer<Raw>, shape: (record: Raw) => R): Answer<R> {
  return { ...answer, records: answer.records.map(shape) };
}

/** The request target of `target`, e.g. `/v1/fx/rates/USDTRY/history?start=2026-01-01`. */
export function requestPath({ path, query = {} }: Target): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) params.set(name, value);
  const search = params.size > 0 ? `?${params.toString()}` : '';
  return `${path.map((segment) => `/${encodeSegment(segment)}`).join('')}${search}`;
}

/** A segment of dots alone would be resolved away by URL parsers, even when it is encoded. */
function encodeSegment(segment: string): string {
  if (/^\.*$/.test(segment)) throw new TypeError('a path segment needs more than dots');
  return encodeURIComponent(segment);
}
