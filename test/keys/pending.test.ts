import { describe, expect, test } from 'vitest';
import { type OpenOptions, temporaryFolder } from '../harness.ts';
import { openKeys, post } from './clients.ts';

/** What an operation may send while it is not known which of its requests it needs: another process may be asking. */

const DAY = (meter: string, limit: number) => [{ meter, window: 'DAY', limit }];
const CATALOG = (search: string) =>
  `${search}: macroCatalog(filter: { search: "${search}" }) { totalCount }`;
const ASSET = (exchange: string) =>
  `${exchange}: cryptoAsset(symbol: "BTC", exchange: "${exchange}") { price }`;
const queryOf = (...fields: string[]) => `{ ${fields.join(' ')} }`;

/** Opens two processes: `web` asks the second one, while `elsewhere` asks the first for a field of the same query. */
async function openTwo(web: object, options: OpenOptions = {}) {
  const env = { DATA_DIR: temporaryFolder(), ...options.env };
  const clients = [{ name: 'elsewhere' }, { name: 'web', ...web }];
  const keys = await openKeys(clients, { ...options, env });
  const { bench, headersOf } = keys;
  const other = await bench.another({ ...env, ...keys.env });
  const askOther = (client: string, query: string) => other.send(post(query, headersOf(client)));
  /** Returns what `web` gets while the first process waits for the answer to `field`. */
  async function askWhile(field: string, query: string) {
    const sent = () => bench.sandbox.requests().length;
    const before = sent();
    const release = bench.sandbox.fault({ kind: 'hold', times: 1 });
    const first = keys.ask('elsewhere', queryOf(field));
    await expect.poll(sent).toBe(before + 1);
    const asked = askOther('web', query);
    await expect.poll(sent).toBeGreaterThan(before + 1);
    release();
    const { errors, extensions } = await asked;
    expect((await first).errors).toEqual([]);
    const codes = errors.map(({ path, extensions: { code } }) => [path?.[0], code]);
    return { codes, used: extensions.usage };
  }
  return { ...keys, askOther, askWhile };
}

test.each([
  ['a budget', { budgets: DAY('MACRO', 1) }, {}, 'CLIENT_BUDGET_EXCEEDED'],
  ['its units', { maxUnitsPerOperation: 1 }, {}, 'UPSTREAM_BUDGET_EXCEEDED'],
  ['the month', {}, { MACRO_MONTHLY_LIMIT: '2' }, 'QUOTA_EXCEEDED'],
  ['its requests', {}, { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' }, 'UPSTREAM_BUDGET_EXCEEDED'],
])(
  'a field that another process asks for takes nothing of %s: the next field is served, and no other',
  async (_what, web, env, code) => {
    const { bench, askWhile } = await openTwo(web, { env });
    const query = queryOf(...['gold', 'rate', 'loan', 'bank'].map(CATALOG));
    const { codes, used } = await askWhile(CATALOG('gold'), query);
    // They may be refused in any order.
    expect(Object.fromEntries(codes)).toEqual({ loan: code, bank: code });
    expect(used).toMatchObject({ macro: { used: 1 }, upstream: { requests: 1, coalesced: 1 } });
    expect(bench.sandbox.spent().macro).toBe(2);
  },
);

test('if requests cost three units each, a budget of six pays for two beside a field that another process asks for', async () => {
  // Answers state more units than the sandbox counts.
  const unreadUnits = { credits: -2 * 4 };
  const { bench, askOther, askWhile } = await openTwo(
    { budgets: DAY('CREDITS', 6) },
    { unreadUnits },
  );
  const stated = { creditsUsed: 3, creditsRemaining: undefined };
  const rewrite = (body: unknown) => Object.assign({}, body, stated);
  bench.sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
  // From here on the other process knows what requests cost.
  await askOther('elsewhere', queryOf(ASSET('Kraken')));
  const query = queryOf(...['Binance', 'Bybit', 'Coinbase', 'OKX'].map(ASSET));
  const { codes, used } = await askWhile(ASSET('Binance'), query);
  expect(codes.map(([, code]) => code)).toEqual(['CLIENT_BUDGET_EXCEEDED']);
  expect(used).toMatchObject({ credits: { used: 6 }, client: { budgets: [{ used: 6 }] } });
});

describe('while its request waits for the rate limit', () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1' };
  const ASSETS = ['Binance', 'Bybit'].map(ASSET);

  test('a field that would exceed the units waits, and a key that is revoked meanwhile fails it', async () => {
    const clients = [{ name: 'app' }, { name: 'web', maxUnitsPerOperation: 1 }];
    const { bench, ask, write } = await openKeys(clients, { env });
    await ask('app', queryOf(ASSET('OKX')));
    const asked = ask('web', queryOf(...ASSETS));
    write([{ name: 'app' }]);
    await expect.poll(() => bench.log()).toContain('CLIENTS_FILE: reloaded');
    bench.clock.advance(1050);
    const { errors } = await asked;
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(
      Array(2).fill('UNAUTHENTICATED'),
    );
    expect(bench.sandbox.spent().credits).toBe(1);
  });

  test('a field for which a budget leaves nothing waits for nobody', async () => {
    const clients = [{ name: 'app' }, { name: 'web', budgets: DAY('FX', 0) }];
    const { bench, ask } = await openKeys(clients, { env });
    await ask('app', queryOf(ASSET('OKX')));
    const asked = ask('web', queryOf(ASSET('Bybit'), 'fxRates { totalCount }'));
    await expect.poll(() => bench.log()).toContain('CLIENT_BUDGET_EXCEEDED');
    bench.clock.advance(1050);
    expect((await asked).errors.map(({ path }) => path)).toEqual([['fxRates']]);
    expect(bench.sandbox.spent()).toMatchObject({ credits: 2, fx: 0 });
  });
});
