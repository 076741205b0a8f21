import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '../../src/upstream/endpoint.ts';
import { readAnswer } from '../../src/upstream/read-answer.ts';

/** A long answer is read in pieces, and only the first of its invalid records are described. */

const record = z.compile(z.object({ pair: z.string(), mid: z.number() }));
const endpoint: Endpoint<{ pair: string; mid: number }> = {
  name: 'rates',
  route: '/rates',
  source: 'fx',
  group: 'A',
  meter: 'fx',
  record,
  label: 'pair',
  emptyOn404: false,
};

test('200,000 invalid records are counted, five are described, and other tasks run in between', async () => {
  const wrong = Array.from({ length: 200_000 }, (_, i) => ({ pair: `P${i}`, mid: 'x' }));
  const data = [...wrong, { pair: 'good', mid: 1 }];
  let pauses = 0;
  const pause = () => Promise.resolve((pauses += 1));
  const about = { now: () => 0, timezone: 'UTC', pause };
  const text = { status: 200, body: '' };
  const { records, warnings } = await readAnswer(endpoint, { data }, text, about);
  expect(records).toEqual([{ pair: 'good', mid: 1 }]);
  expect(pauses).toBe(100);
  expect(warnings).toMatchObject([{ count: 200_000 }]);
  expect(warnings[0]?.message).toContain('data[4] (P4)');
  expect(warnings[0]?.message).toContain('; and 199995 more');
});
