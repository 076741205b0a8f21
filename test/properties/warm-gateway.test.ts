import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500, firstAssets } from '../upstream.ts';
import type { Question, Row, Upstream } from './question.ts';
import { questionsA } from './questions-a.ts';
import { questionsB } from './questions-b.ts';

/** Queries that are sent together, in one operation or by as many clients at once. */
interface Round {
  questions: Question[];
  isOneOperation: boolean;
}

const ROUNDS = 400;
const MAX_REQUESTS_PER_QUESTION = 0.16;

function askDirectly(sandbox: Bench['sandbox']): Upstream {
  return (group, path, query = {}) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
    const search = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
    const { status, body } = sandbox.answer(group, path + search);
    if (status === 404) return [];
    expect(status).toBe(200);
    return (body as { data: Row[] }).data;
  };
}

function ask(bench: Bench, questions: readonly Question[]): Promise<Row> {
  return bench.get(`{ ${questions.map(({ field }, i) => `q${i}: ${field}`).join(' ')} }`);
}

async function answersOf(bench: Bench, { questions, isOneOperation }: Round): Promise<unknown[]> {
  const operations = isOneOperation ? [questions] : questions.map((question) => [question]);
  const replies = await Promise.all(operations.map((some) => ask(bench, some)));
  return replies.flatMap((data) => Object.values(data));
}

test('a warm gateway gives the answers of the upstream for few requests', async () => {
  const bench = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '100' } });
  const symbols = firstAssets(bench.sandbox, 500).concat(assetsBelow500(bench.sandbox, 12));
  const questions = fc.array(fc.oneof(questionsA, questionsB(symbols)), { minLength: 1 });
  const round = fc.record({ questions, isOneOperation: fc.boolean() });
  const upstream = askDirectly(bench.sandbox);
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(round, async (it) => {
      asked += it.questions.length;
      const expected = it.questions.map((question) => question.expected(upstream));
      expect(await answersOf(bench, it)).toEqual(expected);
    }),
    { numRuns: ROUNDS, seed: 20_261_120 },
  );
  const requests = bench.sandbox.requests().length;
  expect(asked).toBeGreaterThan(1000);
  expect(requests / asked).toBeLessThanOrEqual(MAX_REQUESTS_PER_QUESTION);
});
