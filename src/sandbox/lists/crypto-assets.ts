/** A ranked asset, near its state on the anchor day. Real tickers and names; prices are stand-ins. */
export interface CryptoAsset {
  symbol: string;
  name: string;
  /** USD. */
  price: number;
  /** Circulating units. */
  supply: number;
  /** null when the supply has no maximum. */
  maxSupply: number | null;
}

const M = 1e6;
const B = 1e9;
const T = 1e12;

/** [symbol, name, price in USD, circulating supply, maximum supply]. */
const ROWS: readonly (readonly [string, string, number, number, number | null])[] = [
  ['BTC', 'Bitcoin', 92_400, 20.03 * M, 21 * M],
  ['ETH', 'Ethereum', 3_180, 121.2 * M, null],
  ['USDT', 'Tether', 1, 196 * B, null],
  ['XRP', 'XRP', 2.21, 61.8 * B, 100 * B],
  ['BNB', 'BNB', 886, 136.2 * M, 200 * M],
  ['USDC', 'USD Coin', 1, 81 * B, null],
  ['SOL', 'Solana', 142, 571 * M, null],
  ['TRX', 'TRON', 0.284, 94.6 * B, null],
  ['DOGE', 'Dogecoin', 0.152, 156 * B, null],
  ['ADA', 'Cardano', 0.462, 36.6 * B, 45 * B],
  ['HYPE', 'Hyperliquid', 36.2, 338 * M, 1 * B],
  ['BCH', 'Bitcoin Cash', 548, 20 * M, 21 * M],
  ['LINK', 'Chainlink', 13.6, 716 * M, 1 * B],
  ['LEO', 'UNUS SED LEO', 9.4, 921 * M, null],
  ['XLM', 'Stellar', 0.252, 33.1 * B, 50 * B],
  ['XMR', 'Monero', 382, 18.5 * M, null],
  ['SUI', 'Sui', 1.72, 3.9 * B, 10 * B],
  ['LTC', 'Litecoin', 91.5, 77.2 * M, 84 * M],
  ['AVAX', 'Avalanche', 14.8, 432 * M, 720 * M],
  ['HBAR', 'Hedera', 0.146, 43 * B, 50 * B],
  ['ZEC', 'Zcash', 358, 16.7 * M, 21 * M],
  ['SHIB', 'Shiba Inu', 0.00000884, 589.2 * T, 589.5 * T],
  ['DAI', 'Dai', 1, 5.1 * B, null],
  ['TON', 'Toncoin', 1.68, 2.7 * B, null],
  ['CRO', 'Cronos', 0.108, 39 * B, 100 * B],
  ['DOT', 'Polkadot', 2.41, 1.68 * B, 2.1 * B],
  ['UNI', 'Uniswap', 6.32, 630 * M, 1 * B],
  ['MNT', 'Mantle', 1.12, 3.25 * B, 6.22 * B],
  ['TAO', 'Bittensor', 306, 10.6 * M, 21 * M],
  ['AAVE', 'Aave', 178, 15.3 * M, 16 * M],
  ['BGB', 'Bitget Token', 3.62, 700 * M, 2 * B],
  ['OKB', 'OKB', 112, 21 * M, 21 * M],
  ['NEAR', 'NEAR Protocol', 1.92, 1.29 * B, null],
  ['ICP', 'Internet Computer', 4.1, 542 * M, null],
  ['ETC', 'Ethereum Classic', 14.2, 155 * M, 210.7 * M],
  ['PEPE', 'Pepe', 0.00000478, 420.7 * T, 420.7 * T],
  ['ENA', 'Ethena', 0.252, 7.6 * B, 15 * B],
  ['APT', 'Aptos', 2.46, 752 * M, null],
  ['ONDO', 'Ondo', 0.518, 3.16 * B, 10 * B],
  ['PAXG', 'PAX Gold', 4_060, 0.39 * M, null],
  ['XAUT', 'Tether Gold', 4_055, 0.37 * M, null],
  ['WLD', 'Worldcoin', 0.642, 2.4 * B, 10 * B],
  ['KAS', 'Kaspa', 0.0524, 27 * B, 28.7 * B],
  ['POL', 'Polygon', 0.139, 10.5 * B, null],
  ['ARB', 'Arbitrum', 0.221, 5.7 * B, 10 * B],
  ['ALGO', 'Algorand', 0.142, 8.8 * B, 10 * B],
  ['ATOM', 'Cosmos', 2.55, 483 * M, null],
  ['TRUMP', 'Official Trump', 6.1, 200 * M, 1 * B],
  ['FIL', 'Filecoin', 1.62, 722 * M, 1.96 * B],
  ['VET', 'VeChain', 0.0134, 86 * B, 86.7 * B],
  ['KCS', 'KuCoin Token', 8.8, 130 * M, 170 * M],
  ['GT', 'GateToken', 10.1, 117 * M, 300 * M],
  ['FLR', 'Flare', 0.0138, 78 * B, null],
  ['QNT', 'Quant', 78.2, 14.5 * M, 14.9 * M],
  ['SEI', 'Sei', 0.136, 6.4 * B, 10 * B],
  ['RENDER', 'Render', 1.86, 518 * M, 644 * M],
  ['JUP', 'Jupiter', 0.241, 3.2 * B, 7 * B],
  ['BONK', 'Bonk', 0.00000962, 82 * T, 88 * T],
  ['PENGU', 'Pudgy Penguins', 0.0112, 62.9 * B, 88.9 * B],
  ['CAKE', 'PancakeSwap', 2.28, 340 * M, 450 * M],
  ['XDC', 'XDC Network', 0.0498, 18.5 * B, null],
  ['IP', 'Story', 2.61, 334 * M, null],
  ['VIRTUAL', 'Virtuals Protocol', 0.902, 656 * M, 1 * B],
  ['NEXO', 'Nexo', 0.972, 646 * M, 1 * B],
  ['FET', 'Artificial Superintelligence Alliance', 0.248, 2.3 * B, 2.7 * B],
  ['CRV', 'Curve DAO Token', 0.412, 1.4 * B, 3.03 * B],
  ['IMX', 'Immutable', 0.298, 1.95 * B, 2 * B],
  ['INJ', 'Injective', 5.5, 100 * M, null],
  ['TIA', 'Celestia', 0.624, 858 * M, null],
  ['STX', 'Stacks', 0.292, 1.8 * B, null],
  ['LDO', 'Lido DAO', 0.598, 890 * M, 1 * B],
  ['MORPHO', 'Morpho', 1.4, 365 * M, 1 * B],
  ['OP', 'Optimism', 0.304, 1.9 * B, 4.29 * B],
  ['FLOKI', 'FLOKI', 0.0000478, 9.65 * T, 10 * T],
  ['GRT', 'The Graph', 0.0458, 10.6 * B, null],
  ['XTZ', 'Tezos', 0.468, 1.07 * B, null],
  ['SPX', 'SPX6900', 0.518, 931 * M, 1 * B],
  ['IOTA', 'IOTA', 0.106, 4.2 * B, null],
  ['ENS', 'Ethereum Name Service', 11.4, 38 * M, 100 * M],
  ['PYTH', 'Pyth Network', 0.0716, 5.75 * B, 10 * B],
  ['CFX', 'Conflux', 0.0742, 5.15 * B, null],
  ['PENDLE', 'Pendle', 2.31, 168 * M, null],
  ['BSV', 'Bitcoin SV', 19.6, 20 * M, 21 * M],
  ['SAND', 'The Sandbox', 0.148, 2.6 * B, 3 * B],
  ['THETA', 'Theta Network', 0.362, 1 * B, 1 * B],
  ['GALA', 'Gala', 0.0077, 46.5 * B, 50 * B],
  ['WIF', 'dogwifhat', 0.354, 999 * M, 999 * M],
  ['JASMY', 'JasmyCoin', 0.0072, 49.4 * B, 50 * B],
  ['RAY', 'Raydium', 1.18, 268 * M, 555 * M],
  ['FLOW', 'Flow', 0.212, 1.6 * B, null],
  ['MANA', 'Decentraland', 0.168, 1.9 * B, 2.19 * B],
  ['HNT', 'Helium', 1.72, 186 * M, 223 * M],
  ['DEXE', 'DeXe', 3.6, 84 * M, 96.5 * M],
  ['STRK', 'Starknet', 0.0642, 4.6 * B, 10 * B],
  ['NEO', 'Neo', 4.2, 70.5 * M, 100 * M],
  ['COMP', 'Compound', 29.8, 9.7 * M, 10 * M],
  ['EGLD', 'MultiversX', 9.6, 28.9 * M, null],
  ['AR', 'Arweave', 4.12, 65.6 * M, 66 * M],
  ['RUNE', 'THORChain', 0.741, 351 * M, 500 * M],
  ['CHZ', 'Chiliz', 0.0252, 10.1 * B, null],
];

/** The assets known by name, largest first. */
export const KNOWN_ASSETS: readonly CryptoAsset[] = ROWS.map(
  ([symbol, name, price, supply, maxSupply]) => ({ symbol, name, price, supply, maxSupply }),
);

/** Assets that stay at one US dollar. */
export const STABLECOINS: ReadonlySet<string> = new Set(['USDT', 'USDC', 'DAI']);

/** Assets that move like an ounce of gold. */
export const GOLD_TOKENS: ReadonlySet<string> = new Set(['PAXG', 'XAUT']);
