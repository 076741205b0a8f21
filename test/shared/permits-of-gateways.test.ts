import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Gateways that share a server ask an upstream no more often than it allows all of them together. */

const CURRENCIES = ['USD', 'EUR', 'TRY'];
const EXCHANGES = ['kraken', 'okx', 'binance', 'btcturk'];
/** Each needs a separate request. */
const QUESTIONS = CURRENCIES.flatMap((convert) =>
  EXCHANGES.map(
    (exchange) =>
      `{ cryptoAssets(first: 1, convert: ${convert}, filter: { exchange: "${exchange}" }) { totalCount } }`,
  ),
);

/** Asks three gateways over an upstream with a limit, all at once. Returns the statuses of its answers. */
async function askAll(requestsPerSecond: number, env: Record<string, string> = {}) {
  const { url } = await startValkey();
  const common = { SHARED_URL: url, OPERATION_TIMEOUT_MS: '30000', ...env };
  // The upstream counts requests by this clock, too.
  const bench = await open({ env: common, now: Date.now, requestsPerSecond });
  const all = [bench, await bench.another(common), await bench.another(common)];
  const replies = await Promise.all(QUESTIONS.map((query, i) => all[i % all.length]!.ask(query)));
  for (const { errors } of replies) expect(errors).toEqual([]);
  return bench.sandbox.requests().map(({ status }) => status);
}

test.skipIf(NO_SERVER)('a configured limit is never exceeded', async () => {
  // The upstream allows one more than is configured, since a stalled machine may hold up requests on their way.
  const statuses = await askAll(6, { GROUP_B_REQUESTS_PER_SECOND: '5' });
  expect(statuses).toEqual(QUESTIONS.map(() => 200));
});

test.skipIf(NO_SERVER)('a refusal that one gateway gets holds back all', async () => {
  const statuses = await askAll(5);
  const refused = statuses.filter((status) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  // At first seven come too early; later more than the learned limit is tried once or twice.
  expect(refused.length).toBeLessThanOrEqual(10);
});
