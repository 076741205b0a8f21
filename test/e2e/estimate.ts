import { expect } from 'vitest';
import type { Bench } from '../harness.ts';

/** What an operation is estimated to cost, and what it does cost. */

export type Units = Record<'fx' | 'macro' | 'credits', number>;

/** Asks for an estimate of what an operation costs, and checks that nothing is sent upstream. */
export async function estimateOf(gateway: Bench, query: string) {
  const before = gateway.sandbox.requests().length;
  const { data, errors, extensions } = await gateway.send({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-usage-dry-run': '1' },
    body: JSON.stringify({ query }),
  });
  expect(gateway.sandbox.requests()).toHaveLength(before);
  expect(data).toBeNull();
  const { estimate } = extensions.usage as unknown as { estimate: Record<'least' | 'most', Units> };
  return { ...estimate, errors };
}

/** Executes an operation, and returns what it spends. */
export async function spend({ ask }: Bench, query: string): Promise<Units> {
  const { fx, macro, credits } = (await ask(query)).extensions.usage;
  return { fx: fx.used, macro: macro.used, credits: credits.used };
}
