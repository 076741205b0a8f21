import {
  type CryptoAsset,
  GOLD_TOKENS,
  KNOWN_ASSETS,
  STABLECOINS,
} from '../lists/crypto-assets.ts';
import { FIRST_WORDS, SECOND_WORDS } from '../lists/crypto-tail.ts';
import { ANCHOR_DAY } from '../lists/currencies.ts';
import { memoize } from '../memo.ts';
import { round, streamOf, uniform, walk } from '../random.ts';
import { daysAt, parseDay, stepsBefore } from '../time.ts';

/** Synthetic crypto assets: prices and ranks as a function of time. Knows nothing of requests. */

const ANCHOR = parseDay(ANCHOR_DAY) ?? 0;
const TAIL_SIZE = 500;

/** An asset at a moment, in USD. Optional fields of section 2.7 are undefined if the asset lacks them. */
export interface Quote {
  symbol: string;
  name: string;
  rank: number;
  price: number;
  change1h: number | undefined;
  change24h: number;
  change7d: number | undefined;
  volume: number;
  marketCap: number;
  supply: number | undefined;
  maxSupply: number | undefined;
  dominance: number | undefined;
  updatedAt: number;
}

type Unranked = Omit<Quote, 'rank' | 'dominance'>;

function tailAsset(seed: number, index: number): CryptoAsset {
  const first = FIRST_WORDS[index % FIRST_WORDS.length] ?? ['', ''];
  const turn = Math.floor(index / FIRST_WORDS.length) + (index % FIRST_WORDS.length);
  const second = SECOND_WORDS[turn % SECOND_WORDS.length] ?? ['', ''];
  const symbol = first[0] + second[0];
  const stream = streamOf(seed, `tail ${symbol}`);
  const rank = KNOWN_ASSETS.length + 1 + index;
  const price = 10 ** (uniform(stream, 0) * 6 - 4);
  const supply = (230e6 * (KNOWN_ASSETS.length / rank) ** 2.6) / price;
  const maxSupply = uniform(stream, 1) < 0.6 ? supply * (1 + uniform(stream, 2)) : null;
  return { symbol, name: `${first[1]} ${second[1]}`, price, supply, maxSupply };
}

function dailyMove(asset: CryptoAsset, index: number): number {
  if (STABLECOINS.has(asset.symbol)) return 0.005;
  if (GOLD_TOKENS.has(asset.symbol)) return 0.7;
  if (index < 2) return 1.3;
  return index < KNOWN_ASSETS.length ? 1.8 : 2.2;
}

/** What never changes about an asset. Small assets are updated a few steps late, and some lack optional fields. */
function traitsOf(stream: number, asset: CryptoAsset, index: number) {
  const lacks = (field: number, share: number) => index >= 20 && uniform(stream, field) < share;
  return {
    move: dailyMove(asset, index) / 100,
    turnover: STABLECOINS.has(asset.symbol) ? 0.5 : 0.02 + 0.08 * uniform(stream, -1),
    lag: index < 50 ? 0 : Math.floor(uniform(stream, -2) * 4),
    has1h: !lacks(-3, 0.08),
    has7d: !lacks(-4, 0.08),
    supply: lacks(-5, 0.06) ? undefined : Math.round(asset.supply),
    maxSupply: asset.maxSupply === null ? undefined : Math.round(asset.maxSupply),
  };
}

/** One asset as a function of time. */
function createAsset(seed: number, asset: CryptoAsset, index: number): (at: number) => Unranked {
  const { symbol, name } = asset;
  const stream = streamOf(seed, `crypto ${symbol}`);
  const start = walk(stream, ANCHOR);
  const { move, turnover, lag, has1h, has7d, supply, maxSupply } = traitsOf(stream, asset, index);
  return (at) => {
    const updatedAt = stepsBefore(at, lag);
    const days = daysAt(updatedAt);
    const level = walk(stream, days);
    const change = (ago: number) =>
      round((Math.exp((level - walk(stream, days - ago)) * move) - 1) * 100, 2);
    const price = asset.price * Math.exp((level - start) * move);
    const marketCap = price * asset.supply;
    const volume = marketCap * turnover * Math.exp(walk(stream + 101, days) * 0.05);
    const change1h = has1h ? change(1 / 24) : undefined;
    const change7d = has7d ? change(7) : undefined;
    const changes = { change1h, change24h: change(1), change7d };
    return { symbol, name, price, ...changes, volume, marketCap, supply, maxSupply, updatedAt };
  };
}

/** All assets, largest first. */
export type Ranking = readonly Quote[];

/** The ranking as a function of time; cached, since all requests of a step need the same one. */
export function createRanking(seed: number): (at: number) => Ranking {
  const tail = Array.from({ length: TAIL_SIZE }, (_, index) => tailAsset(seed, index));
  const assets = [...KNOWN_ASSETS, ...tail].map((asset, index) => createAsset(seed, asset, index));
  return memoize((at: number) => {
    const quotes = assets.map((quoteAt) => quoteAt(at));
    const total = quotes.reduce((sum, quote) => sum + quote.marketCap, 0);
    const largestFirst = quotes.toSorted((one, other) => other.marketCap - one.marketCap);
    return largestFirst.map((quote, index) => ({
      ...quote,
      rank: index + 1,
      dominance: index < 300 ? round((quote.marketCap / total) * 100, 4) : undefined,
    }));
  }, 4);
}
