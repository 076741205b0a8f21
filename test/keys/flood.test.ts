import { expect, test } from 'vitest';
import { METERS, perMeter } from '../../src/meters.ts';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { createDraw, type Draw } from '../bench/economy-random.ts';
import { type Keys, openKeys, post, replyIn, request } from './clients.ts';

/** One client asks for a hundred times as much as it may spend: another one notices nothing of it. */

const BUDGET = { fx: 12, credits: 15 };
const FLOOD_FACTOR = 100;
const STEPS = 30;
const PER_STEP = (FLOOD_FACTOR * (BUDGET.fx + BUDGET.credits)) / STEPS;

/** What both clients ask for is cached first: otherwise the one that asks first would pay for both. */
const WARM_UP = '{ fxRates { totalCount } macroCatalog { totalCount } }';
const TIMES_TO_LIVE = { TTL_FX_RATES: '36000', TTL_MACRO_CATALOG: '36000', TTL_FX_HISTORY: '60' };

const STEADY_PAIRS = PAIRS.filter((_, i) => i % 2 === 0);
const FLOOD_PAIRS = PAIRS.filter((_, i) => i % 2 === 1);
const history = (pair: string) => `fxRate(pair: "${pair}") { pair mid history { change } }`;

/** Cold questions and hits, some of which go stale; what the flood also asks for is warm. */
const steadyQuestion = (draw: Draw) =>
  `{ ${history(draw.popular(STEADY_PAIRS))} ${draw.among([
    'cryptoAssets(first: 3) { nodes { symbol price } }',
    'calendarEvents(first: 3) { nodes { id datetime event } }',
    'macroSeries(code: "TP.DK.USD.A") { name observations { change } }',
    'fxRates(first: 2) { nodes { pair buying } provenance { stale retrievedAt } }',
    'nothing',
  ])} }`;

/** Prices of one exchange. The other client's prices in dollars can only be taken from those of all exchanges. */
const prices = (draw: Draw) =>
  `cryptoAssets(filter: { exchange: "${draw.among(['Binance', 'BtcTurk'])}" }, first: ${1 + draw.whole(300)}, convert: TRY) { totalCount }`;
/** Nothing matches: such requests are free, but each reserves a unit until that is known. */
const noLaws = (draw: Draw) =>
  `legislationChanges(filter: { institution: "none${draw.whole(900)}" }) { totalCount }`;

/** Draws cheap and expensive, cold and hot, and all kinds of wrong questions. */
function floodQuestion(draw: Draw): string {
  const many = (count: number, one: () => string) =>
    Array.from({ length: count }, (_, i) => `f${i}: ${one()}`).join(' ');
  return draw.weighted<() => string>([
    [4, () => WARM_UP],
    [4, () => `{ ${history(draw.among(FLOOD_PAIRS))} }`],
    [4, () => `{ ${prices(draw)} }`],
    [2, () => `{ ${noLaws(draw)} }`],
    [1, () => `{ ${many(15, () => noLaws(draw))} }`],
    [1, () => `{ ${many(15, () => history(draw.among(FLOOD_PAIRS)))} }`],
    [1, () => '{ fxRates { nodes { pair '],
    [1, () => `{ ${many(30, () => `nothing${draw.whole(1000)}`)} }`],
    [1, () => `{ ${many(3000, () => 'fxRates { totalCount }')} }`],
  ])();
}

async function flood({ bench, headersOf }: Keys, draw: Draw, seen: Record<string, number>) {
  const one = async () => {
    const reply = await request(bench.url, post(floodQuestion(draw), headersOf('flood')));
    const codes = reply.body.errors?.map(
      (error: { extensions: { code: string } }) => error.extensions.code,
    );
    for (const code of new Set<string>(codes ?? ['served'])) seen[code] = (seen[code] ?? 0) + 1;
    if (reply.body.extensions) bench.noteReply(replyIn(reply), reply.text);
  };
  await Promise.all(Array.from({ length: PER_STEP }, one));
}

interface Run {
  /** The steady client's answers, with what they say of its units. */
  answers: unknown[];
  used: Record<string, number>;
  spent: Record<string, number>;
  /** Outcomes of the flood's operations, counted: `served`, or codes of errors. */
  seen: Record<string, number>;
}

async function run(hasFlood: boolean, operationsPerMinute?: number): Promise<Run> {
  const keys = await openKeys(
    [
      { name: 'warmer' },
      {
        name: 'steady',
        operationsPerMinute: 60,
        budgets: [{ meter: 'FX', window: 'DAY', limit: 40 }],
      },
      {
        name: 'flood',
        operationsPerMinute,
        budgets: [
          { meter: 'FX', window: 'DAY', limit: BUDGET.fx },
          { meter: 'CREDITS', window: 'MONTH', limit: BUDGET.credits },
        ],
      },
    ],
    { env: TIMES_TO_LIVE },
  );
  const { bench, ask } = keys;
  await ask('warmer', WARM_UP);
  const [draw, floodDraw] = [createDraw(1), createDraw(2)];
  const result: Run = { answers: [], used: perMeter(() => 0), spent: {}, seen: {} };
  for (let step = 0; step < STEPS; step += 1) {
    const flooding = hasFlood ? flood(keys, floodDraw, result.seen) : undefined;
    const { status, data, errors, extensions } = await ask('steady', steadyQuestion(draw));
    await flooding;
    const { usage } = extensions;
    const used = perMeter((meter) => usage[meter].used);
    for (const meter of METERS) result.used[meter]! += used[meter];
    const { client } = usage;
    // The number of parts that make up an answer may depend on what others ask for.
    const { cacheHits: _parts, ...upstream } = usage.upstream;
    result.answers.push({ status, data, errors, used, upstream, client });
    bench.clock.advance(17_000);
  }
  result.spent = bench.sandbox.spent();
  return result;
}

test.each([
  ['with a limit of operations a minute', 'CLIENT_RATE_EXCEEDED', 200],
  ['with none', 'GRAPHQL_VALIDATION_FAILED', undefined],
])(
  'a flood of a client %s changes no answer and no unit of another',
  async (_, refusal, perMinute) => {
    const [alone, flooded] = [await run(false), await run(true, perMinute)];
    expect(flooded.answers).toEqual(alone.answers);
    expect(alone.used['fx']).toBeGreaterThan(5);
    expect(alone.used['credits']).toBeGreaterThan(5);
    const more = perMeter((meter) => flooded.spent[meter]! - alone.spent[meter]!);
    expect(more).toEqual({ macro: 0, ...BUDGET });
    const { seen } = flooded;
    for (const what of ['served', 'CLIENT_BUDGET_EXCEEDED', 'GRAPHQL_PARSE_FAILED', refusal])
      expect(seen[what]).toBeGreaterThan(10);
  },
);
