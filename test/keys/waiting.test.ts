import { expect, test } from 'vitest';
import type { Reply } from '../reply.ts';
import { openKeys } from './clients.ts';

/** Requests that wait, and who pays for them once it is their turn. */

const CREDITS = (limit: number) => [{ meter: 'CREDITS', window: 'DAY', limit }];
const ASSET = (convert: string) => `{ cryptoAsset(symbol: "BTC", convert: ${convert}) { price } }`;
const ASSET_IN_EURO = ASSET('EUR').slice(2, -2);
/** Longer than the second for which the next request waits. */
const TURN_MS = 1050;

const codesOf = ({ errors }: Reply) => errors.map(({ extensions }) => extensions.code);

test.each([
  ['lowered budget', [{ name: 'web', budgets: CREDITS(1) }], 'CLIENT_BUDGET_EXCEEDED'],
  ['revoked key', [{ name: 'app' }], 'UNAUTHENTICATED'],
])('a %s applies to requests that wait for the rate limit', async (_what, after, code) => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1' };
  const clients = [{ name: 'web', budgets: CREDITS(9) }, { name: 'app' }];
  const { bench, ask, write } = await openKeys(clients, { env });
  const asked = ['USD', 'TRY', 'EUR'].map((convert) => ask('web', ASSET(convert)));
  await expect.poll(() => bench.sandbox.requests()).toHaveLength(1);
  write(after);
  await expect.poll(() => bench.log()).toContain('CLIENTS_FILE: reloaded');
  bench.clock.advance(TURN_MS);
  bench.clock.advance(TURN_MS);
  const replies = await Promise.all(asked);
  expect(replies.flatMap(codesOf)).toEqual([code, code]);
  expect(bench.sandbox.spent().credits).toBe(1);
});

test('a client whose key is revoked while it waits gets no old data instead', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1' };
  const { bench, ask, write } = await openKeys([{ name: 'web' }, { name: 'app' }], { env });
  await ask('web', ASSET('EUR'));
  bench.clock.advance(60_000);
  const asked = ['TRY', 'EUR'].map((convert) => ask('web', ASSET(convert)));
  await expect.poll(() => bench.sandbox.requests()).toHaveLength(2);
  write([{ name: 'app' }]);
  await expect.poll(() => bench.log()).toContain('CLIENTS_FILE: reloaded');
  bench.clock.advance(TURN_MS);
  const [, waited] = await Promise.all(asked);
  expect([waited!.data, codesOf(waited!)]).toEqual([{ cryptoAsset: null }, ['UNAUTHENTICATED']]);
});

test('a client that has joined a request of another one whose key is revoked asks anew', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1' };
  const { bench, ask, write } = await openKeys([{ name: 'web' }, { name: 'app' }], { env });
  const first = ask('web', ASSET('TRY'));
  await expect.poll(() => bench.sandbox.requests()).toHaveLength(1);
  // A request to the other group shows that an operation has begun to wait: the first one starts what the second joins.
  const asked = [ask('web', `{ ${ASSET_IN_EURO} fxRates { totalCount } }`)];
  await expect.poll(() => bench.sandbox.requests()).toHaveLength(2);
  asked.push(ask('app', `{ ${ASSET_IN_EURO} fxRate(pair: "USDTRY") { history { change } } }`));
  await expect.poll(() => bench.sandbox.requests()).toHaveLength(3);
  write([{ name: 'app' }]);
  await expect.poll(() => bench.log()).toContain('CLIENTS_FILE: reloaded');
  bench.clock.advance(TURN_MS);
  const [web, app] = await Promise.all(asked);
  expect([await first, web!, app!].map(codesOf)).toEqual([[], ['UNAUTHENTICATED'], []]);
  expect(app!.extensions.usage.credits.used).toBe(1);
  expect(bench.sandbox.spent().credits).toBe(2);
});

test.each([
  ['units', { maxUnitsPerOperation: 2, budgets: CREDITS(1) }, {}],
  ['requests', { budgets: CREDITS(1) }, { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2' }],
  ['units', { maxUnitsPerOperation: 2 }, { CREDITS_MONTHLY_LIMIT: '1' }],
  ['requests', {}, { CREDITS_MONTHLY_LIMIT: '1', MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2' }],
])(
  'a field that is refused takes nothing of the %s that others of its operation may use: %o, %o',
  async (_what, client, env) => {
    const { bench, ask } = await openKeys([{ name: 'web', ...client }], { env });
    const { data, errors } = await ask(
      'web',
      '{ legislationChanges { totalCount } calendarEvents { totalCount } fxRate(pair: "USDTRY") { mid } }',
    );
    // Either of the two that cost credits may be the first to ask for one.
    expect(errors).toHaveLength(1);
    expect(errors[0]!.path?.[0]).toMatch(/^(legislationChanges|calendarEvents)$/);
    expect(data).toMatchObject({ fxRate: { mid: expect.any(Number) } });
    expect(bench.sandbox.spent()).toMatchObject({ fx: 1, credits: 1 });
  },
);
