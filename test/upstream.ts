import { z } from 'zod';
import { FIRST_WORDS, SECOND_WORDS } from '../src/sandbox/lists/crypto-tail.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';
import { FRIDAY_NOON } from './sandbox/harness.ts';

/** What the upstream would answer directly, to compare the gateway's answers with. */

const record = z.record(z.string(), z.unknown());
const answer = z.looseObject({ data: z.array(record) });

export type UpstreamRecord = z.infer<typeof record>;
export type UpstreamAnswer = z.infer<typeof answer>;

export function upstreamAnswer(sandbox: Sandbox, group: 'A' | 'B', path: string): UpstreamAnswer {
  return answer.parse(sandbox.answer(group, path).body);
}

const column = ({ data }: UpstreamAnswer, field: string) => data.map((row) => String(row[field]));

export function pairs(sandbox: Sandbox): string[] {
  return column(upstreamAnswer(sandbox, 'A', '/v1/fx/rates'), 'pair');
}

export function firstAssets(sandbox: Sandbox, count: number): string[] {
  return column(upstreamAnswer(sandbox, 'B', `/crypto/prices?limit=${count}`), 'symbol');
}

/** Returns assets that are not among the first 500. */
export function assetsBelow500(sandbox: Sandbox, count: number): string[] {
  const first = new Set(firstAssets(sandbox, 500));
  const made = FIRST_WORDS.flatMap(([a]) => SECOND_WORDS.map(([b]) => a + b));
  return made.filter((symbol) => !first.has(symbol)).slice(0, count);
}

/** Returns the upstream's answer to the last request that it received. */
export function lastAnswer(sandbox: Sandbox): UpstreamAnswer {
  const { group, path } = sandbox.requests().at(-1) ?? { group: 'A', path: '' };
  return upstreamAnswer(sandbox, group, path);
}

/** Picks fields of a record; a field that it lacks is null. */
export function pick(from: UpstreamRecord, fields: string): UpstreamRecord {
  return Object.fromEntries(fields.split(/\s+/).map((field) => [field, from[field] ?? null]));
}

/** A connection aliased as `list`. */
export interface List {
  list: { nodes: unknown[]; totalCount: number; provenance: unknown };
}

export const PROVENANCE = 'provenance { source asOf license upstreamCached retrievedAt stale }';

/** Returns what PROVENANCE selects, for an envelope fetched at the time at which test clocks stand. */
export function provenanceOf({ source, asOf, license, cached }: UpstreamRecord): UpstreamRecord {
  const retrievedAt = new Date(FRIDAY_NOON).toISOString();
  return {
    source,
    asOf: asOf ?? retrievedAt,
    license: license ?? null,
    upstreamCached: cached ?? null,
    retrievedAt,
    stale: false,
  };
}
