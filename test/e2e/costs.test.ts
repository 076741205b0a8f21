import { describe, expect, test } from 'vitest';
import { EXCHANGES } from '../../src/sandbox/lists/exchanges.ts';
import { type Bench, open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { DAY_MS } from '../../src/time.ts';
import { assetsBelow500 } from '../upstream.ts';
import { estimateOf, spend } from './estimate.ts';

/** The cost of a request is known only from its answer; limits hold all the same. */

/** Each needs an upstream request of its own. */
const FIELDS = EXCHANGES.flatMap(([exchange]) =>
  ['USD', 'TRY', 'EUR'].map(
    (convert) =>
      `cryptoAsset(symbol: "BTC", exchange: "${exchange}", convert: ${convert}) { price }`,
  ),
);
const priceQuery = (i: number) => `{ ${FIELDS[i]} }`;

/** Makes answers of Group B state this cost, whatever the sandbox counts, and no balance; returns how to end that. */
const stateCost = ({ sandbox }: Pick<Bench, 'sandbox'>, cost: number, times = Infinity) =>
  sandbox.fault({
    kind: 'rewrite',
    group: 'B',
    times,
    rewrite: (body) => Object.assign({}, body, { creditsUsed: cost, creditsRemaining: undefined }),
  });
/** For the harness: by how many units that many of those answers exceed what the sandbox has counted. */
const excessOf = (cost: number, answers: number) => ({
  unreadUnits: { credits: -(cost - 1) * answers },
});

const credits = (window: string, limit: number) => ({ meter: 'CREDITS', window, limit });
const limitedTo = (units: number) => ({ env: { CREDITS_MONTHLY_LIMIT: String(units) } });

async function codesOf(asked: ReturnType<Bench['ask']>): Promise<unknown[]> {
  return (await asked).errors.map(({ extensions }) => extensions.code);
}

describe('a monthly limit, if requests cost three units each', () => {
  test('refuses operations that it leaves too few units for, and sends nothing for them', async () => {
    const bench = await open({ ...limitedTo(10), ...excessOf(3, 3) });
    stateCost(bench, 3);
    for (const i of [1, 2, 3]) expect(await codesOf(bench.ask(priceQuery(i)))).toEqual([]);
    const { errors } = await bench.ask(priceQuery(4));
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
    expect(errors[0]?.message).toMatch(
      /^Too few of the monthly credits are left \(credits limit: 10\)/,
    );
    const { extensions } = await bench.ask('{ usage { credits { limit } } }');
    expect(extensions.usage.credits.usedThisMonth).toBe(9);
    expect(bench.sandbox.requests()).toHaveLength(3);
  });

  test('is not exceeded by many operations at once before the cost is known', async () => {
    const bench = await open({ ...limitedTo(10), ...excessOf(3, 3) });
    stateCost(bench, 3);
    const all = Array.from({ length: 20 }, (_, i) => bench.ask(priceQuery(i)));
    const codes = (await Promise.all(all.map(codesOf))).flat();
    expect(new Set(codes)).toEqual(new Set(['INSUFFICIENT_CREDITS']));
    expect(bench.sandbox.requests()).toHaveLength(3);
  });

  test('is exceeded only by the first request, whose cost was unknown', async () => {
    const bench = await open({ ...limitedTo(2), ...excessOf(3, 1) });
    stateCost(bench, 3);
    const all = Array.from({ length: 5 }, (_, i) => bench.ask(priceQuery(i)));
    await Promise.all(all);
    expect(bench.sandbox.requests()).toHaveLength(1);
  });

  test('can be used up to the last unit again once ten requests have cost less', async () => {
    const bench = await open({ ...limitedTo(16), ...excessOf(3, 1) });
    stateCost(bench, 3, 1);
    for (let i = 0; i < 14; i += 1) expect(await codesOf(bench.ask(priceQuery(i)))).toEqual([]);
    expect(await codesOf(bench.ask(priceQuery(14)))).toEqual(['INSUFFICIENT_CREDITS']);
  });

  test('no longer refuses requests for a cost that no answer has stated for a day', async () => {
    const bench = await open({ ...limitedTo(5), ...excessOf(3, 1) });
    stateCost(bench, 3, 1);
    await bench.get(priceQuery(0));
    bench.clock.advance(DAY_MS - 1);
    expect(await codesOf(bench.ask(priceQuery(1)))).toEqual(['INSUFFICIENT_CREDITS']);
    bench.clock.advance(1);
    expect(await bench.cost(priceQuery(1))).toBe(1);
  });

  test('counts an unreadable answer at the cost of earlier ones', async () => {
    const bench = await open({ ...limitedTo(100), ...excessOf(3, 3) });
    stateCost(bench, 3, 1);
    await bench.ask(priceQuery(1));
    bench.sandbox.fault({ kind: 'truncated-json', group: 'B', times: 1 });
    const { extensions } = await bench.ask(priceQuery(2));
    expect(extensions.usage.credits).toMatchObject({ used: 3, usedThisMonth: 6 });
    bench.sandbox.fault({ kind: 'rewrite', group: 'B', times: 1, rewrite: () => [] });
    const noEnvelope = await bench.ask(priceQuery(3));
    expect(noEnvelope.extensions.usage.credits).toMatchObject({ used: 3, usedThisMonth: 9 });
  });
});

describe('a client, if requests cost three units each', () => {
  test('does not exceed its budget', async () => {
    const budgets = [credits('DAY', 7)];
    const { bench, ask } = await openKeys([{ name: 'web', budgets }], excessOf(3, 2));
    stateCost(bench, 3);
    const asked = [1, 2, 3, 4].map((i) => codesOf(ask('web', priceQuery(i))));
    const codes = (await Promise.all(asked)).flat();
    expect(codes).toEqual(['CLIENT_BUDGET_EXCEEDED', 'CLIENT_BUDGET_EXCEEDED']);
    const [error] = (await ask('web', priceQuery(5))).errors;
    expect(error?.message).toMatch(/^The client web has too little left of its budget of 7 /);
  });

  test('is told when there is enough again if its budgets of a day and a month leave too little', async () => {
    const budgets = [credits('DAY', 7), credits('MONTH', 8)];
    const { bench, ask } = await openKeys([{ name: 'web', budgets }], excessOf(3, 2));
    stateCost(bench, 3);
    for (const i of [1, 2]) expect(await codesOf(ask('web', priceQuery(i)))).toEqual([]);
    const [error] = (await ask('web', priceQuery(3))).errors;
    expect(error?.extensions).toMatchObject({ window: 'MONTH', limit: 8 });
  });

  test('spends no more in one operation than its limit for that', async () => {
    const { bench, ask } = await openKeys(
      [{ name: 'web', maxUnitsPerOperation: 7 }],
      excessOf(3, 2),
    );
    stateCost(bench, 3);
    const fields = [1, 2, 3, 4].map((i) => `a${i}: ${FIELDS[i]}`);
    const { errors, extensions } = await ask('web', `{ ${fields.join(' ')} }`);
    const codes = errors.map((error) => error.extensions.code);
    expect(codes).toEqual(['UPSTREAM_BUDGET_EXCEEDED', 'UPSTREAM_BUDGET_EXCEEDED']);
    expect(errors[0]?.message).toMatch(/this one has too few of them left$/);
    expect(extensions.usage.credits.used).toBe(6);
  });
});

test('if the first request fails, those that waited to learn its cost are sent together, not one by one', async () => {
  const { sandbox, ask } = await open(limitedTo(10));
  sandbox.fault({ kind: 'status', status: 401, group: 'B', times: 1 });
  const release = sandbox.fault({ kind: 'hold', group: 'B' });
  const codes = codesOf(ask(`{ ${[0, 1, 2, 3, 4].map((i) => `a${i}: ${FIELDS[i]}`).join(' ')} }`));
  await expect.poll(() => sandbox.requests()).toHaveLength(5);
  release();
  expect(await codes).toEqual(['UPSTREAM_AUTHENTICATION']);
});

test('a dry run estimates at what requests have cost recently', async () => {
  const bench = await open(excessOf(3, 1));
  stateCost(bench, 3);
  await bench.get(priceQuery(0));
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-usage-dry-run': '1' },
    body: JSON.stringify({ query: `{ a: ${FIELDS[1]} b: ${FIELDS[2]} }` }),
  };
  const { estimate } = (await bench.send(init)).extensions.usage;
  expect(estimate).toMatchObject({ least: { fx: 0, macro: 0, credits: 6 } });
});

test.each([
  [9, 6],
  [8, 3],
])(
  'a dry run includes requests that may follow, if the limit leaves enough for them: %d units',
  async (limit, expected) => {
    const bench = await open({ ...limitedTo(limit), ...excessOf(3, expected / 3 + 1) });
    stateCost(bench, 3);
    await bench.get(priceQuery(0));
    const [low] = assetsBelow500(bench.sandbox, 1);
    const query = `{ cryptoAsset(symbol: "${low}") { price } }`;
    const estimate = await estimateOf(bench, query);
    expect([estimate.least.credits, estimate.most.credits]).toEqual([3, expected]);
    expect((await spend(bench, query)).credits).toBe(expected);
  },
);

test('if the balance contradicts a stated cost, the drop in the balance counts', async () => {
  const bench = await open(limitedTo(100));
  await bench.get(priceQuery(0));
  const rewrite = (body: unknown) => Object.assign({}, body, { creditsUsed: 90 });
  bench.sandbox.fault({ kind: 'rewrite', group: 'B', times: 1, rewrite });
  for (const i of [1, 2, 3]) expect(await bench.cost(priceQuery(i))).toBe(1);
  const { extensions } = await bench.ask('{ usage { credits { limit } } }');
  expect(extensions.usage.credits.usedThisMonth).toBe(4);
});

test('a cost counts as stated while other requests are in flight, or if units were bought', async () => {
  const bench = await open({ ...limitedTo(1000), ...excessOf(3, 4) });
  let creditsRemaining = 494;
  const rewrite = (body: unknown) => {
    creditsRemaining += creditsRemaining < 490 ? 400 : -3;
    return Object.assign({}, body, { creditsUsed: 3, creditsRemaining });
  };
  bench.sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
  await bench.get(priceQuery(0));
  await Promise.all([1, 2, 3].map((i) => bench.get(priceQuery(i))));
  const { extensions } = await bench.ask('{ usage { credits { limit } } }');
  expect(extensions.usage.credits.usedThisMonth).toBe(12);
});
