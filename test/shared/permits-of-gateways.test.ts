import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Gateways that share a server ask an upstream as often as it allows all of them together. */

const CURRENCIES = ['USD', 'EUR', 'TRY'];
const EXCHANGES = ['kraken', 'okx', 'binance', 'btcturk'];
/** Each is a request of its own. */
const QUESTIONS = CURRENCIES.flatMap((convert) =>
  EXCHANGES.map(
    (exchange) =>
      `{ cryptoAssets(first: 1, convert: ${convert}, filter: { exchange: "${exchange}" }) { totalCount } }`,
  ),
);

/** Three gateways over an upstream with a limit, and that are asked all at once. */
async function askAll(requestsPerSecond: number, env: Record<string, string> = {}) {
  const { url } = await startValkey();
  const common = { SHARED_URL: url, OPERATION_TIMEOUT_MS: '30000', ...env };
  // The upstream counts requests by a clock, too.
  const bench = await open({ env: common, now: Date.now, requestsPerSecond });
  const all = [bench, await bench.another(common), await bench.another(common)];
  const replies = await Promise.all(QUESTIONS.map((query, i) => all[i % all.length]!.ask(query)));
  for (const { errors } of replies) expect(errors).toEqual([]);
  return bench.sandbox.requests().map(({ status }) => status);
}

test.skipIf(NO_SERVER)('a configured limit is never passed', { timeout: 60_000 }, async () => {
  // One more than is configured, since a machine that stands still may hold up requests on their way.
  const statuses = await askAll(6, { GROUP_B_REQUESTS_PER_SECOND: '5' });
  expect(statuses).toEqual(QUESTIONS.map(() => 200));
});

test.skipIf(NO_SERVER)('a refusal that one gets holds back all', { timeout: 60_000 }, async () => {
  const statuses = await askAll(5);
  const refused = statuses.filter((status) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  // Seven come too early at first; more than a limit that is learnt is tried once or twice.
  expect(refused.length).toBeLessThanOrEqual(10);
});
