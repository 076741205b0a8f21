import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { dayAt, formatDay } from '../../src/time.ts';
import { type Gateway, open, temporaryFolder } from '../harness.ts';
import { assetsBelow500, firstAssets } from '../upstream.ts';
import { type MovingQuestion, movingQuestions } from './moving-questions.ts';
import type { Row } from './question.ts';

/**
 * Random queries over several weeks, sent to two gateways that share a folder, while the upstream's records change. Each
 * record in an answer must be one that the upstream had at a moment within its time to live, and none may be missing that
 * it had all that time.
 */

const STEPS = 150;
const SEED = 20_261_128;
const S = 1000;

/** From seconds to a day: most are about as long as some time to live. */
const pause = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ max: 20 * S, min: 0 }) },
  { weight: 5, arbitrary: fc.integer({ min: 20 * S, max: 400 * S }) },
  { weight: 3, arbitrary: fc.integer({ min: 400 * S, max: 7200 * S }) },
  { weight: 1, arbitrary: fc.integer({ min: 7200 * S, max: 100_000 * S }) },
);

const dayOf = (moment: number) => dayAt(moment, 'Europe/Istanbul');

/** Returns the same records as they are at a moment: those of recent and future days are corrected every four minutes. */
function corrected(records: readonly Row[], moment: number): Row[] {
  const version = Math.floor(moment / (240 * S)) % 10;
  const recent = formatDay(dayOf(moment) - 7);
  return records.map((record) => {
    const { date, publishedAt, datetime, title } = record as Record<string, string | undefined>;
    if ((date ?? publishedAt ?? datetime ?? '') < recent) return record;
    if ('value' in record) return { ...record, value: Number(record['value']) + version };
    return { ...record, title: `${title} ${version}`, previous: version };
  });
}

/** Returns what the upstream would have answered to a question at each moment, by record. */
async function createPast() {
  let at = 0;
  const sandbox = await startSandbox({ now: () => at });
  onTestFinished(() => sandbox.close());
  return ({ direct, key, selected }: MovingQuestion) => {
    const known = new Map<number, ReadonlyMap<unknown, Row>>();
    return (moment: number): ReadonlyMap<unknown, Row> => {
      at = moment;
      if (!known.has(moment)) {
        const { status, body } = sandbox.answer(direct.group, direct.path);
        const rows = status === 404 ? [] : corrected((body as { data: Row[] }).data, moment);
        known.set(moment, new Map(selected(rows).map((row) => [row[key], row])));
      }
      return known.get(moment)!;
    };
  };
}

type Past = (moment: number) => ReadonlyMap<unknown, Row>;

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Returns what is wrong with an answer. `moments`: when something may have been requested, ending with now. */
function faultsOf(question: MovingQuestion, answer: Row, moments: readonly number[], past: Past) {
  const now = moments.at(-1)!;
  const { key, ttl, recordsOf } = question;
  /** What the upstream had since a record's time to live began. */
  const since = (record: Row) =>
    moments
      .filter((moment) => moment >= now - ttl(record) * S)
      .map((moment) => past(moment).get(record[key]));
  const records = recordsOf(answer);
  const got = new Set(records.map((record) => record[key]));
  const expired = records.filter((record) => !since(record).some((one) => same(one, record)));
  const missing = [...past(now).values()].filter(
    (record) => !got.has(record[key]) && since(record).every((one) => one !== undefined),
  );
  return { expired, missing, repeated: records.length - got.size };
}

async function ask(gateway: Gateway, questions: readonly MovingQuestion[]): Promise<Row[]> {
  const fields = questions.map(({ field }, i) => `q${i}: ${field}`);
  return Object.values(await gateway.get<Record<string, Row>>(`{ ${fields.join(' ')} }`));
}

test('answers are those of a moment within the time to live, over weeks and in two processes', async () => {
  const env = { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '100', DATA_DIR: temporaryFolder() };
  const bench = await open({ env });
  bench.sandbox.fault({
    kind: 'rewrite',
    rewrite(body) {
      const { data, ...rest } = body as { data: Row[] };
      return { ...rest, data: corrected(data, bench.clock.now()) };
    },
  });
  const gateways = [bench, await bench.another(env)];
  const pastOf = await createPast();
  const symbols = firstAssets(bench.sandbox, 20).concat(assetsBelow500(bench.sandbox, 4));
  const moments: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const seed = SEED + step;
    bench.clock.advance(fc.sample(pause, { seed, numRuns: 1 })[0]!);
    moments.push(bench.clock.now());
    const today = dayOf(bench.clock.now());
    const questions = fc.sample(movingQuestions(today, symbols), { seed, numRuns: 1 + (step % 4) });
    const answers = await ask(gateways[step % 2]!, questions);
    for (const [i, question] of questions.entries()) {
      const faults = faultsOf(question, answers[i]!, moments, pastOf(question));
      expect({ question: question.field, ...faults }).toEqual({
        question: question.field,
        expired: [],
        missing: [],
        repeated: 0,
      });
    }
  }
});
