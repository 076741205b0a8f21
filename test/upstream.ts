import { z } from 'zod';
import { FIRST_WORDS, SECOND_WORDS } from '../src/sandbox/lists/crypto-tail.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';
import { FRIDAY_NOON } from './sandbox/harness.ts';

/** What the upstream would answer directly: what the gateway's answers are compared with. */

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

/** Assets that the longest list does not hold. */
export function assetsBelow500(sandbox: Sandbox, count: number): string[] {
  const first = new Set(firstAssets(sandbox, 500));
  const made = FIRST_WORDS.flatMap(([a]) => SECOND_WORDS.map(([b]) => a + b));
  return made.filter((symbol) => !first.has(symbol)).slice(0, count);
}

/** What the upstream would answer to the last request that it got. */
export function lastAnswer(sandbox: Sandbox): UpstreamAnswer {
  const { group, path } = sandbox.requests().at(-1) ?? { group: 'A', path: '' };
  return upstreamAnswer(sandbox, group, path);
}

/** The fields of a record, null where it has none. */
export function pick(from: UpstreamRecord, fields: string): UpstreamRecord {
  return Object.fromEntries(fields.split(/\s+/).map((field) => [field, from[field] ?? null]));
}

/** A connection aliased as `list`. */
export interface List {
  list: { nodes: unknown[]; totalCount: number; provenance: unknown };
}

export const PROVENANCE = 'provenance { source asOf license upstreamCached retrievedAt stale }';

/** What PROVENANCE gives for an envelope that was fetched at the moment where test clocks stand. */
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
