import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500, firstAssets, pick, type UpstreamRecord } from '../upstream.ts';
import { popular } from './question.ts';

/** One answer has one record of an asset, however many fields select it: clients cache objects by id. */

const OPERATIONS = 200;
const SEED = 20_261_121;
const RECORD = 'id price updatedAt rank change24h';

type Asset = UpstreamRecord & { id: string; updatedAt: string };

const currency = popular(['USD', 'TRY', 'EUR']);
/** In dollars these are only in answers in dollars. */
const own = fc.constantFrom('', '', ' marketCap');
const inLira = fc.constantFrom('', '', ' priceIn(convert: TRY)');
const order = fc.constantFrom('', '', ', orderBy: { field: PRICE }');
const NODE = `{ ... on CryptoAsset { ${RECORD} } }`;

/** A field that selects some crypto assets. */
function fields(symbol: fc.Arbitrary<string>, lengths: readonly number[]): fc.Arbitrary<string> {
  const symbols = fc.uniqueArray(symbol, { minLength: 1, maxLength: 4 });
  const id = fc.tuple(symbol, currency).map(([one, usd]) => `"CryptoAsset:${one}:${usd}::"`);
  const ids = fc.array(id, { minLength: 1, maxLength: 3 });
  const byRank = fc.tuple(fc.constantFrom(...lengths), currency, order, own);
  return fc.oneof(
    fc
      .tuple(symbol, currency, inLira)
      .map(
        ([one, usd, more]) => `cryptoAsset(symbol: "${one}", convert: ${usd}) { ${RECORD}${more} }`,
      ),
    byRank.map(
      ([first, usd, by, more]) =>
        `cryptoAssets(first: ${first}, convert: ${usd}${by}) { nodes { ${RECORD}${more} } }`,
    ),
    fc
      .tuple(symbols, currency, own)
      .map(
        ([some, usd, more]) =>
          `cryptoAssets(filter: { symbols: ${JSON.stringify(some)} }, convert: ${usd}) { nodes { ${RECORD}${more} } }`,
      ),
    id.map((one) => `node(id: ${one}) ${NODE}`),
    ids.map((some) => `nodes(ids: [${some.join(', ')}]) ${NODE}`),
  );
}

/** Returns all objects of an answer that have an id. */
function assetsIn(value: unknown): Asset[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(assetsIn);
  return 'id' in value ? [value as Asset, ...below] : below;
}

/** Returns the ids for which an answer has more than one record. */
function contradictions(answer: unknown): string[] {
  const byId = Map.groupBy(assetsIn(answer), ({ id }) => id);
  const text = (asset: UpstreamRecord) => JSON.stringify(pick(asset, RECORD));
  return [...byId].flatMap(([id, all]) => (new Set(all.map(text)).size > 1 ? id : []));
}

/** For the same few assets, one list by ticker is requested in place of the first 500. */
test.each([
  { asked: 'all kinds of assets', isNarrow: false },
  { asked: 'the same few assets', isNarrow: true },
])('no answer contradicts itself, or an earlier one: $asked', async ({ isNarrow }) => {
  const { get, sandbox, clock } = await open();
  const known = isNarrow
    ? [...firstAssets(sandbox, 5), ...assetsBelow500(sandbox, 2)]
    : [...firstAssets(sandbox, 30), ...assetsBelow500(sandbox, 4), 'NOSUCHCOIN'];
  const field = fields(popular(known), isNarrow ? [2, 10] : [2, 10, 60, 300]);
  const operation = fc.record({
    asked: fc.array(field, { minLength: 1, maxLength: 5 }),
    pause: fc.nat(20_000),
  });
  const newest = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(operation, async ({ asked, pause }) => {
      clock.advance(pause);
      const answer = await get(`{ ${asked.map((one, i) => `f${i}: ${one}`).join(' ')} }`);
      expect(contradictions(answer)).toEqual([]);
      const updates = assetsIn(answer).map(({ id, updatedAt }) => [id, updatedAt] as const);
      expect(updates.filter(([id, at]) => at < (newest.get(id) ?? ''))).toEqual([]);
      for (const [id, at] of updates) newest.set(id, at);
    }),
    { numRuns: OPERATIONS, seed: SEED, endOnFailure: true },
  );
});
