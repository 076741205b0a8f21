import { z } from 'zod';
import { registerNode } from '../../graph/node.ts';
import { whenReady } from '../../maybe.ts';
import { consistent } from './consistent.ts';
import { loadOnePriced } from './dollar-prices.ts';
import { otherMarkets } from './loaders.ts';
import { candleInterval, convertCurrency, exchangeArgument, marketOf } from './market.ts';
import { foreseeNamesakePrices, loadNamesake } from './namesakes.ts';
import { tickerOf } from './records.ts';

/** How an asset is found by its id. */

/** Maximum length of a ticker in a node id, in characters: ids with longer ones are assumed not to be the gateway's. */
const MAX_TICKER = 256;

const idArguments = z.object({
  // In the upstream's spelling, which the argument `symbol` may not accept.
  symbol: z
    .string()
    .min(1)
    .max(MAX_TICKER)
    .transform((symbol) => tickerOf({ symbol })),
  convert: convertCurrency,
  exchange: exchangeArgument,
  interval: candleInterval.nullish(),
});

/**
 * The parts of the id are the symbol and the market, where an empty part means null; then the asset's name, if another
 * asset with a better rank has the same symbol.
 */
registerNode('CryptoAsset', (parts, context, info) => {
  const [ticker, currency, exchangeName, period, name, ...others] = parts;
  const asked = idArguments.safeParse({
    symbol: ticker,
    convert: currency,
    exchange: exchangeName || null,
    interval: period || null,
  });
  if (!asked.success || period === undefined || others.length > 0) return undefined;
  const market = marketOf(asked.data);
  if (name === undefined) return loadOnePriced(market, asked.data.symbol, context, info);
  const namesake = loadNamesake(market, { symbol: ticker ?? '', name }, context);
  if (namesake instanceof Promise) foreseeNamesakePrices(otherMarkets(market, info), context);
  const found = whenReady(namesake, (asset) => ({ value: asset ? [asset] : [] }));
  return whenReady(consistent(found, context, info), ({ value }) => value[0] ?? null);
});
