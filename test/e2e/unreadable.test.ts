import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';

/** Answers that cannot be read, so that it is unknown whether they were charged. */

const MINUTE = 60_000;
const ASSET = '{ cryptoAsset(symbol: "BTC") { price } usage { credits { usedThisMonth } } }';

interface Counted {
  usage: { credits: { usedThisMonth: number } };
}

const counted = async ({ get }: Bench) => (await get<Counted>(ASSET)).usage.credits.usedThisMonth;

/** Asks every half minute for that many minutes; returns how many requests were sent meanwhile. */
async function askFor({ ask, clock, sandbox }: Bench, query: string, minutes: number) {
  const before = sandbox.requests().length;
  for (let i = 0; i < 2 * minutes; i += 1) {
    clock.advance(MINUTE / 2 + 1);
    await ask(query);
  }
  return sandbox.requests().length - before;
}

describe('a page in place of an answer, with status 200', () => {
  const PAGE = { kind: 'status', status: 200, body: '<h1>Maintenance</h1>' } as const;

  test('counts until a balance shows that it was not charged', async () => {
    const env = { CREDITS_MONTHLY_LIMIT: '100', SPENDING: 'free' };
    const bench = await open({ env, unreadUnits: { credits: -12 } });
    await bench.get(ASSET);
    bench.sandbox.fault({ ...PAGE, group: 'B', times: 12 });
    expect(await askFor(bench, ASSET, 60)).toBeGreaterThan(12);
    bench.sandbox.clearFaults();
    bench.clock.advance(MINUTE);
    await bench.get(ASSET);
    expect(await counted(bench)).toBe(bench.sandbox.spent().credits);
  });

  test('counts until then even if somebody else spends from the same balance', async () => {
    const env = { CREDITS_MONTHLY_LIMIT: '100', SPENDING: 'free' };
    const bench = await open({ env, credits: 500, unreadUnits: { credits: -12 } });
    await bench.get(ASSET);
    bench.sandbox.set({ credits: 400 });
    bench.clock.advance(MINUTE);
    await bench.get(ASSET);
    bench.sandbox.fault({ ...PAGE, group: 'B', times: 12 });
    await askFor(bench, ASSET, 60);
    bench.clock.advance(MINUTE);
    await bench.get(ASSET);
    expect(await counted(bench)).toBe(bench.sandbox.spent().credits);
  });

  test('is reported as possibly not charged if it has used up a limit', async () => {
    const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: '4' }, unreadUnits: { credits: -3 } });
    await bench.get(ASSET);
    bench.sandbox.fault({ ...PAGE, group: 'B' });
    await askFor(bench, ASSET, 10);
    const [refused] = (await bench.ask('{ calendarEvents { totalCount } }')).errors;
    expect(refused?.message).toContain('credits limit: 4, 3 of which may not have been charged');
  });

  test('stays counted if it was charged', async () => {
    const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: '100' } });
    await bench.get(ASSET);
    bench.sandbox.fault({ kind: 'not-json', group: 'B', times: 3 });
    await askFor(bench, ASSET, 5);
    await bench.get(ASSET);
    expect(await counted(bench)).toBe(bench.sandbox.spent().credits);
  });

  test('makes requests ever rarer for a group that states no balance', async () => {
    const query = '{ fxRate(pair: "USDTRY") { buying } }';
    const unreadUnits = { fx: 0 };
    const bench = await open({ env: { FX_MONTHLY_LIMIT: '100' }, unreadUnits });
    bench.sandbox.fault({ ...PAGE, group: 'A' });
    const requests = await askFor(bench, query, 30);
    unreadUnits.fx = -requests;
    expect(requests).toBeLessThan(25);
  });

  test('is soon followed by another request after a long outage, if it comes once', async () => {
    const query = '{ fxRate(pair: "USDTRY") { buying } }';
    const bench = await open({ unreadUnits: -1 });
    bench.sandbox.fault({ kind: 'status', status: 503, group: 'A', body: '{}' });
    await askFor(bench, query, 10);
    bench.sandbox.clearFaults();
    bench.sandbox.fault({ ...PAGE, group: 'A', times: 1 });
    await askFor(bench, query, 1);
    expect((await bench.ask(query)).errors).toEqual([]);
  });

  test.each([
    ['a 503', { kind: 'status', status: 503, body: '{}' }],
    ['a 404 with a page', { kind: 'status', status: 404, body: '<h1>Not found</h1>' }],
  ] as const)(
    'makes requests just as rare if %s came first, which is free and retried within 30 seconds',
    async (_, free) => {
      const query = '{ fxRate(pair: "USDTRY") { buying } }';
      const unreadUnits = { fx: 0 };
      const bench = await open({ unreadUnits });
      const pages = async (minutes: number) => {
        const requests = await askFor(bench, query, minutes);
        unreadUnits.fx -= requests;
        return requests;
      };
      bench.sandbox.fault({ ...free, group: 'A' });
      expect(await askFor(bench, query, 10)).toBeGreaterThanOrEqual(20);
      bench.sandbox.clearFaults();
      bench.sandbox.fault({ ...PAGE, group: 'A' });
      expect(await pages(30)).toBeLessThan(25);
      bench.sandbox.clearFaults();
      bench.sandbox.fault({ ...free, group: 'A' });
      bench.clock.advance(5 * MINUTE);
      expect(await askFor(bench, query, 10)).toBeGreaterThanOrEqual(20);
    },
  );
});

test('an answer that states a failure counts as what it states to have cost, as rarely as one that cannot be read', async () => {
  const rewrite = (body: unknown) => Object.assign({}, body, { success: false });
  const bench = await open();
  bench.sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
  const { errors, extensions } = await bench.ask(ASSET);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(extensions.usage.credits.used).toBe(1);
  expect(await askFor(bench, ASSET, 30)).toBeLessThan(25);
});

test('answers that are cut off make requests as rare as those that cannot be read, each with one retry', async () => {
  const bench = await open();
  bench.sandbox.fault({ kind: 'reset-mid-body', group: 'B' });
  const { errors, extensions } = await bench.ask(ASSET);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(extensions.usage.credits.used).toBe(2);
  expect(await askFor(bench, ASSET, 30)).toBeLessThan(2 * 25);
});
