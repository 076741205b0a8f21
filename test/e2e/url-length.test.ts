import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';

/** Long lists of tickers meet an upstream that allows only shorter URLs: refusals are free, and soon there are none. */

const BY_SYMBOLS =
  'query ($symbols: [String!]) { list: cryptoAssets(first: 500, filter: { symbols: $symbols }) { nodes { symbol } } }';

/** Tickers that do not exist, each of which becomes ten bytes of a URL. */
const unknown = (count: number) =>
  Array.from({ length: count }, (_, i) => `NONE${String(i).padStart(3, '0')}`);

/** Refuses requests for tickers with a path and query of more than `maxBytes`. */
const limitUrls = ({ sandbox }: Bench, maxBytes: number, status = 431) =>
  sandbox.fault({
    kind: 'status',
    status,
    path: (path) => path.includes('symbols=') && path.length > maxBytes,
  });

/** Asks for the tickers, of which none exists; returns the status and the length of each request that named some. */
async function lookUp({ get, sandbox, clock }: Bench, symbols: readonly string[]) {
  const before = sandbox.requests().length;
  expect(await get(BY_SYMBOLS, { symbols })).toEqual({ list: { nodes: [] } });
  const sent = sandbox.requests().slice(before);
  clock.advance(31_000);
  return sent
    .filter(({ path }) => path.includes('symbols='))
    .map(({ status, path }) => ({ status, bytes: path.length }));
}

const statuses = (lists: Awaited<ReturnType<typeof lookUp>>) => lists.map(({ status }) => status);

test.each([414, 431])(
  'a limit below half of a list is learned from refusals with %d before the question is answered',
  async (status) => {
    const bench = await open();
    limitUrls(bench, 1200, status);
    const first = await lookUp(bench, unknown(268));
    expect(first[0]).toEqual({ status, bytes: 2722 });
    expect(first.length).toBeLessThanOrEqual(7);
    expect(statuses(await lookUp(bench, unknown(268)))).toEqual([404, 404, 404]);
  },
);

test('a list of as many bytes as are allowed becomes as few lists as a lower limit requires', async () => {
  const bench = await open();
  limitUrls(bench, 2000);
  const first = await lookUp(bench, unknown(400));
  expect(statuses(first)).toEqual([431, 431, 404, 404, 404]);
  expect(first[0]?.bytes).toBeGreaterThan(4000);
  expect(statuses(await lookUp(bench, unknown(400)))).toEqual([404, 404, 404]);
});
