import { expect, test } from 'vitest';
import { NO_SERVER, startValkey } from '../shared/valkey-server.ts';
import { openKeys } from './clients.ts';

/** Requests that wait for units: a server that has lost its memory gives out none for two seconds. */

const FX = (limit: number) => [{ meter: 'FX', window: 'DAY', limit }];
/** Together these need three requests: one for the rates, and one for each history. */
const QUESTIONS = ['USDTRY', 'EURTRY'].map(
  (pair) => `{ fxRate(pair: "${pair}") { history { change } } }`,
);

test.skipIf(NO_SERVER).each([
  ['lowered budget', [{ name: 'web', budgets: FX(1) }], 'CLIENT_BUDGET_EXCEEDED', 1],
  ['revoked key', [{ name: 'app' }], 'UNAUTHENTICATED', 0],
])('a %s applies to requests that wait for units', async (_what, after, code, sent) => {
  const server = await startValkey();
  const env = { SHARED_URL: server.url };
  const clients = [{ name: 'web', budgets: FX(9) }, { name: 'app' }];
  const { bench, ask, write } = await openKeys(clients, { env });
  await server.command('FLUSHALL');
  const asked = QUESTIONS.map((question) => ask('web', question));
  // A request is claimed just before it begins to wait for units.
  await expect.poll(() => server.command('KEYS', '*flights*')).toHaveLength(3);
  write(after);
  const replies = await Promise.all(asked);
  const codes = replies.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code));
  expect(new Set(codes)).toEqual(new Set([code]));
  expect(bench.sandbox.requests()).toHaveLength(sent);
});
