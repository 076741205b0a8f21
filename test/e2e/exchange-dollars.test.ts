import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Prices in dollars of an asset whose price is in another currency. */

/** Makes every price of an answer about an exchange 1.5 times as high, except that in dollars next to it. */
function onExchange(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const higher = (record: { price: number }) => ({ ...record, price: record.price * 1.5 });
  return { ...rest, data: data.map(higher) };
}

test('are those of the same exchange, for one request more', async () => {
  const { get, cost, sandbox } = await open();
  sandbox.fault({ kind: 'rewrite', path: '/crypto/prices', rewrite: onExchange });
  const query = `{ lira: cryptoAsset(symbol: "BTC", convert: TRY, exchange: "binance") {
    inUsd: priceIn(convert: USD) } }`;
  expect(await cost(query)).toBe(2);
  const { lira, dollar } = await get<{ lira: { inUsd: number }; dollar: { price: number } }>(
    `{ lira: cryptoAsset(symbol: "BTC", convert: TRY, exchange: "binance") {
        inUsd: priceIn(convert: USD) }
      dollar: cryptoAsset(symbol: "BTC", exchange: "binance") { price } }`,
  );
  expect(lira.inUsd).toBe(dollar.price);
});

test('cost nothing without an exchange', async () => {
  const { cost } = await open();
  const query = '{ cryptoAsset(symbol: "BTC", convert: TRY) { priceIn(convert: USD) } }';
  expect(await cost(query)).toBe(1);
});
