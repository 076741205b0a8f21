import { z } from 'zod';
import { FIRST_WORDS, SECOND_WORDS } from '../src/sandbox/lists/crypto-tail.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';

/** What the upstream would answer directly: what the gateway's answers are compared with. */

const record = z.record(z.string(), z.unknown());
const answer = z.looseObject({ data: z.array(record) });

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
