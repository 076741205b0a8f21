import { describe, expect, test } from 'vitest';
import { openKeys } from './clients.ts';

/** Budgets: the client that starts a request pays for it, and no other. */

const RATES = '{ fxRates { nodes { pair buying } } }';
const HISTORY = (pair: string) =>
  `{ fxRate(pair: "${pair}TRY") { pair history { points { date } } } }`;
const ASSETS = '{ cryptoAssets(first: 3) { nodes { symbol priceUsd } } }';
const fxDay = (limit: number) => [{ meter: 'FX', window: 'DAY', limit }];

describe('a budget', () => {
  test('is never exceeded, and the error tells meter, limit and when there is more', async () => {
    const { bench, ask } = await openKeys([{ name: 'web', budgets: fxDay(1) }]);
    await ask('web', RATES);
    const { errors, data } = await ask('web', HISTORY('USD'));
    expect(data).toMatchObject({ fxRate: { history: null } });
    expect(errors[0]?.message).toMatch(
      /^The client web has too little left of its budget of 1 \(FX quota\) for this day; resets at /,
    );
    expect(errors[0]?.extensions).toMatchObject({
      code: 'CLIENT_BUDGET_EXCEEDED',
      meter: 'fx',
      window: 'DAY',
      limit: 1,
      resetsAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT21:00:00.000Z$/),
    });
    expect(bench.sandbox.spent().fx).toBe(1);
  });

  test('that is used up leaves fresh answers, then stale ones', async () => {
    const { bench, ask } = await openKeys([{ name: 'web', budgets: fxDay(1) }]);
    await ask('web', RATES);
    expect((await ask('web', RATES)).extensions.usage.upstream.stale).toBe(0);
    bench.clock.advance(120_000);
    const { errors, extensions } = await ask('web', RATES);
    expect(errors).toEqual([]);
    expect(extensions.usage.upstream.stale).toBe(1);
    expect(bench.sandbox.spent().fx).toBe(1);
  });

  test('starts anew with the next day', async () => {
    const { bench, ask } = await openKeys([{ name: 'web', budgets: fxDay(1) }]);
    await ask('web', RATES);
    bench.clock.advance(86_400_000);
    const { extensions } = await ask('web', RATES);
    expect(extensions.usage.fx.used).toBe(1);
    expect(extensions.usage.client?.budgets[0]).toMatchObject({ used: 1, limit: 1 });
  });

  test('of a month lasts for the month', async () => {
    const budgets = [{ meter: 'FX', window: 'MONTH', limit: 1 }];
    const { bench, ask } = await openKeys([{ name: 'web', budgets }]);
    await ask('web', RATES);
    bench.clock.advance(86_400_000);
    expect((await ask('web', RATES)).extensions.usage.upstream.stale).toBe(1);
  });

  test.each([
    ['DAY', 'MONTH'],
    ['MONTH', 'DAY'],
  ])(
    'of a %s that is used up together with one of a %s: the error tells when both have reset',
    async (...windows) => {
      const budgets = windows.map((window) => ({ meter: 'FX', window, limit: 1 }));
      const { ask } = await openKeys([{ name: 'web', budgets }]);
      await ask('web', RATES);
      const { errors } = await ask('web', HISTORY('USD'));
      const expected = { window: 'MONTH', resetsAt: '2026-11-30T21:00:00.000Z' };
      expect(errors[0]?.extensions).toMatchObject(expected);
    },
  );

  test('is not charged for hits, nor for requests that another client has started', async () => {
    const { ask } = await openKeys([{ name: 'payer' }, { name: 'web', budgets: fxDay(0) }]);
    const [paid, joined] = await Promise.all([ask('payer', RATES), ask('web', RATES)]);
    expect([paid.errors, joined.errors]).toEqual([[], []]);
    const { extensions } = await ask('web', RATES);
    expect(extensions.usage.client?.budgets[0]?.used).toBe(0);
  });

  test('of the client that started a request does not matter to a client that joined it', async () => {
    const { ask } = await openKeys([{ name: 'poor', budgets: fxDay(0) }, { name: 'rich' }]);
    const [poor, rich] = await Promise.all([ask('poor', RATES), ask('rich', RATES)]);
    expect(rich.errors).toEqual([]);
    expect([[], ['CLIENT_BUDGET_EXCEEDED']]).toContainEqual(
      poor.errors.map(({ extensions }) => extensions.code),
    );
  });

  test('of one meter does not limit the others', async () => {
    const { ask } = await openKeys([{ name: 'web', budgets: fxDay(0) }]);
    expect((await ask('web', ASSETS)).errors).toEqual([]);
  });

  test('is given back the units that a request did not cost', async () => {
    const { bench, ask } = await openKeys([{ name: 'web', budgets: fxDay(1) }]);
    bench.sandbox.fault({ group: 'A', kind: 'status', status: 500, times: 2 });
    await ask('web', RATES);
    bench.clock.advance(60_000);
    const { errors, extensions } = await ask('web', RATES);
    expect(errors).toEqual([]);
    expect(extensions.usage.client?.budgets[0]?.used).toBe(1);
  });
});

test('a budget that is practically infinite is shown as the largest Int', async () => {
  const budgets = [{ meter: 'FX', window: 'DAY', limit: Number.MAX_SAFE_INTEGER }];
  const { ask } = await openKeys([{ name: 'web', budgets }]);
  const reply = await ask('web', '{ usage { client { budgets { limit used } } } }');
  expect(reply).toMatchObject({
    errors: [],
    data: { usage: { client: { budgets: [{ limit: 2 ** 31 - 1, used: 0 }] } } },
  });
});

test('maxUnitsPerOperation: fields beyond it fail, and say so', async () => {
  const { bench, ask } = await openKeys([{ name: 'web', maxUnitsPerOperation: 1 }]);
  const { errors } = await ask('web', `{ fxRates { nodes { pair } } ${ASSETS.slice(1)}`);
  const setting = 'maxUnitsPerOperation';
  const extensions = { code: 'UPSTREAM_BUDGET_EXCEEDED', meter: 'credits', setting, limit: 1 };
  expect(errors).toMatchObject([{ message: expect.stringContaining(setting), extensions }]);
  // The log only tells the operator of the gateway's own bound, which was not reached.
  expect(bench.log()).not.toContain('MAX_UPSTREAM_REQUESTS_PER_OPERATION');
  const { fx, credits } = bench.sandbox.spent();
  expect(fx + credits).toBe(1);
});

test('maxUnitsPerOperation: if the last unit has brought nothing, a stale answer is served, or the error tells why there is none', async () => {
  const { bench, ask } = await openKeys([{ name: 'web', maxUnitsPerOperation: 1 }]);
  const query = '{ fxRates { totalCount provenance { stale } } }';
  await ask('web', query);
  bench.clock.advance(61_000);
  // Each such request is charged.
  bench.sandbox.fault({ kind: 'reset-mid-body' });
  const { data, errors } = await ask('web', query);
  expect([errors, data]).toMatchObject([[], { fxRates: { provenance: { stale: true } } }]);
  const { errors: failures } = await ask('web', ASSETS);
  expect(failures.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(bench.sandbox.spent()).toMatchObject({ fx: 2, credits: 1 });
});

describe('a dry run', () => {
  const TWO_DATASETS = `{ calendarEvents { totalCount } ${ASSETS.slice(2)}`;
  const RATES_AND_HISTORY = `{ fxRates { totalCount } ${HISTORY('USD').slice(2)}`;

  /** Returns the errors of a dry run, and those of the same operation when it is run. Compares the units. */
  async function compareDryRun(client: object, query: string) {
    const { bench, headersOf, ask } = await openKeys([{ name: 'web', ...client }]);
    const dry = await bench.send({
      method: 'POST',
      headers: {
        ...headersOf('web'),
        'content-type': 'application/json',
        'x-usage-dry-run': '1',
      },
      body: JSON.stringify({ query }),
    });
    expect(bench.sandbox.requests()).toEqual([]);
    const executed = await ask('web', query);
    const { fx, credits } = executed.extensions.usage;
    const used = { fx: fx.used, credits: credits.used };
    expect(dry.extensions.usage.estimate).toMatchObject({ least: used, most: used });
    return [dry.errors, executed.errors];
  }

  const refusal = { code: 'CLIENT_BUDGET_EXCEEDED', meter: 'credits', limit: 1 };
  const creditsDay = (limit: number) => [{ meter: 'CREDITS', window: 'DAY', limit }];

  test('is refused if the operation exceeds a budget', async () => {
    const [dry, real] = await compareDryRun({ budgets: creditsDay(1) }, TWO_DATASETS);
    expect(dry).toMatchObject([{ extensions: refusal }]);
    expect(dry).toEqual(real);
    expect(await compareDryRun({ budgets: creditsDay(2) }, TWO_DATASETS)).toEqual([[], []]);
  });

  test('is refused if the operation exceeds maxUnitsPerOperation', async () => {
    const [dry, real] = await compareDryRun({ maxUnitsPerOperation: 1 }, TWO_DATASETS);
    expect(dry).toMatchObject([{ extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } }]);
    expect(dry).toEqual(real);
  });

  test('says that nested fields exceed a budget, and estimates what it leaves', async () => {
    const [dry = [], real = []] = await compareDryRun({ budgets: fxDay(1) }, RATES_AND_HISTORY);
    expect(dry).toMatchObject([{ extensions: { ...refusal, meter: 'fx' } }]);
    expect(dry[0]?.message).toBe(real[0]?.message);
  });
});
