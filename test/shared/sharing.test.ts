import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { pairs } from '../upstream.ts';
import { ALL_QUESTIONS } from './questions.ts';
import { type Store, STORES } from './stores.ts';

/** What one gateway has requested, or is requesting, no other one requests, wherever they share it. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

/** Opens a gateway, and provides ways to open others beside it. */
async function openOver(opened: Promise<Store>, extra: Record<string, string> = {}) {
  const store = await opened;
  const env = { TTL_FX_RATES: '60', TTL_CRYPTO: '30', ...store.env, ...extra };
  const bench = await open({ env });
  const openAnother = () => bench.another(env);
  const openSeveral = async (count: number) => [
    bench,
    ...(await Promise.all(times(count - 1, openAnother))),
  ];
  return { ...bench, store, openAnother, openSeveral };
}

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  describe.skipIf(isMissing)('answers', () => {
    test.each(ALL_QUESTIONS)(
      '%s: once one gateway has asked, the others need not',
      async (_dataset, query) => {
        const { ask, sandbox, openAnother } = await openOver(openStore());
        const first = await ask(query);
        expect(first.errors).toEqual([]);
        const spent = sandbox.requests().length;
        const others = [await openAnother(), await openAnother()];
        for (const other of others) {
          const { data, errors, extensions } = await other.ask(query);
          expect([data, errors]).toEqual([first.data, []]);
          expect(extensions.usage.upstream).toMatchObject({ requests: 0, stale: 0 });
        }
        expect(sandbox.requests()).toHaveLength(spent);
      },
    );

    const history = (start: string, end: string) =>
      `{ fxRate(pair: "EURTRY") { history(start: "${start}", end: "${end}") { points { date value } } } }`;

    test('a wider range costs one request, whoever had the narrow one', async () => {
      const { ask, openAnother } = await openOver(openStore(), { WIDEN_MAX_BYTES: '0' });
      const other = await openAnother();
      await ask(history('2026-03-01', '2026-03-31'));
      expect(await other.cost(history('2026-03-10', '2026-03-20'))).toBe(0);
      expect(await other.cost(history('2026-02-01', '2026-03-31'))).toBe(1);
      expect(await (await openAnother()).cost(history('2026-02-15', '2026-03-15'))).toBe(0);
    });

    test('a range that is no longer asked for does not make the requests of others longer', async () => {
      const { get, openAnother, sandbox } = await openOver(openStore());
      const ranges = (pair: string, all: readonly string[]) => {
        const fields = all.map((range, i) => `a${i}: history(${range}) { change }`);
        return `{ fxRate(pair: "${pair}") { ${fields.join(' ')} } }`;
      };
      const other = await openAnother();
      await get(ranges('USDTRY', ['start: "2022-01-03"']));
      // More ranges than are remembered as asked for recently.
      const starts = Array.from({ length: 20 }, (_, i) => `start: "2026-10-${10 + i}"`);
      for (let day = 10; day < 21; day += 1) {
        const end = `end: "2026-11-${day}"`;
        await get(
          ranges(
            'USDTRY',
            starts.map((start) => `${start}, ${end}`),
          ),
        );
      }
      const others = pairs(sandbox).filter((pair) => pair !== 'USDTRY');
      const nextPath = async () => {
        await other.get(ranges(others.pop()!, ['start: "2026-11-10"']));
        return sandbox.requests().at(-1)?.path;
      };
      // Other processes are told shortly after.
      await expect.poll(nextPath, { interval: 100 }).toContain('start=2025');
    });

    test('a ticker that one gateway has found is requested along with others by another one, in its currency', async () => {
      const { ask, openAnother, sandbox, store } = await openOver(openStore());
      const asset = (symbol: string, convert: string) =>
        `{ cryptoAsset(symbol: "${symbol}", convert: ${convert}) { price } }`;
      const other = await openAnother();
      await ask(asset('ORBP', 'TRY'));
      await expect.poll(store.stored).toBeGreaterThanOrEqual(sandbox.requests().length);
      await other.ask(asset('NOVZ', 'EUR'));
      expect(sandbox.requests().at(-1)?.path).toMatch(/symbols=ORBP(,|%2C)NOVZ/);
      expect(await other.cost(asset('ORBP', 'EUR'))).toBe(0);
    });

    test('legislation that is cut short is known as such to all', async () => {
      const { ask, openAnother, sandbox } = await openOver(openStore());
      sandbox.set({ legislationPageSize: 5 });
      const query =
        '{ legislationChanges(filter: { start: "2026-01-01" }) { totalCount nodes { id } } }';
      const first = await ask(query);
      const other = await (await openAnother()).ask(query);
      expect(other.data).toEqual(first.data);
      expect(other.extensions.warnings).toEqual(first.extensions.warnings);
      expect(other.extensions.usage.upstream.requests).toBe(0);
    });

    test('a question by type that was cut short is asked narrowly at once, whoever has asked before', async () => {
      const { ask, openAnother, sandbox, clock } = await openOver(openStore());
      sandbox.set({ legislationPageSize: 5 });
      const other = await openAnother();
      const query = '{ legislationChanges(filter: { types: [LAW] }) { totalCount } }';
      await ask(query);
      clock.advance(2 * 3_600_000);
      const before = sandbox.requests().length;
      await other.ask(query);
      const paths = sandbox.requests().map(({ path }) => path);
      // By a server's own clock no time has passed: then nothing is requested.
      expect(paths.slice(before).filter((path) => !path.includes('type='))).toEqual([]);
    });

    test('all know the days that an answer without a start covers', async () => {
      const { ask, store, openAnother } = await openOver(openStore());
      await ask('{ legislationChanges { totalCount } }');
      await expect.poll(store.stored).toBe(2);
      const byDay =
        '{ legislationChanges(filter: { start: "2026-11-10", end: "2026-11-20" }) { totalCount } }';
      expect(await (await openAnother()).cost(byDay)).toBe(0);
    });
  });

  describe.skipIf(isMissing)('requests under way', () => {
    test('a herd on four gateways is one request, and all get its answer', async () => {
      const { sandbox, openSeveral } = await openOver(openStore());
      const all = await openSeveral(4);
      sandbox.set({ latencyMs: 50 });
      const replies = await Promise.all(all.flatMap(({ ask }) => times(25, () => ask(RATES))));
      expect(sandbox.requests()).toHaveLength(1);
      expect(new Set(replies.map(({ data }) => JSON.stringify(data))).size).toBe(1);
      const used = replies.map(({ extensions }) => extensions.usage.fx.used);
      expect(used.reduce((sum, one) => sum + one)).toBe(1);
    });

    test('ranges that overlap cost at most one request more', async () => {
      const { sandbox, openSeveral } = await openOver(openStore(), { WIDEN_MAX_BYTES: '0' });
      const all = await openSeveral(4);
      // Long enough for all gateways to ask meanwhile.
      sandbox.set({ latencyMs: 300 });
      const replies = await Promise.all(
        all.map(({ ask }, i) =>
          ask<{ rate: { history: { points: { date: string }[] } } }>(
            `{ rate: fxRate(pair: "USDTRY") { history(start: "2026-0${i + 1}-01", end: "2026-06-30") { points { date } } } }`,
          ),
        ),
      );
      const histories = sandbox.requests().filter(({ path }) => path.includes('history'));
      expect(histories.length).toBeLessThanOrEqual(2);
      for (const [i, { data, errors }] of replies.entries()) {
        expect(errors).toEqual([]);
        expect(data.rate.history.points[0]!.date.slice(0, 7)).toBe(`2026-0${i + 1}`);
      }
    });

    test('different tickers do not wait for each other', async () => {
      const { sandbox, openSeveral } = await openOver(openStore());
      const all = await openSeveral(2);
      const [one, other] = all;
      await one!.ask('{ cryptoAssets(first: 1) { totalCount } }');
      const holding = sandbox.fault({ kind: 'hold', path: '/crypto', times: 1 });
      const first = one!.ask('{ cryptoAsset(symbol: "NOVZ") { price } }');
      await expect.poll(() => sandbox.requests().length).toBe(2);
      const { data } = await other!.ask('{ cryptoAsset(symbol: "NOVM") { symbol } }');
      expect(data).toEqual({ cryptoAsset: { symbol: 'NOVM' } });
      holding();
      expect((await first).errors).toEqual([]);
    });

    test('if the gateway that asks fails, another one asks', async () => {
      const { sandbox, openSeveral } = await openOver(openStore());
      const all = await openSeveral(3);
      sandbox.set({ latencyMs: 20 });
      sandbox.fault({ kind: 'status', status: 400, path: '/v1/fx/rates', times: 1 });
      const replies = await Promise.all(all.map(({ ask }) => ask(RATES)));
      expect(replies.filter(({ errors }) => errors.length > 0)).toHaveLength(1);
      expect(sandbox.requests()).toHaveLength(2);
    });
  });
});
