import { createHash } from 'node:crypto';
import { KNOWN_ASSETS } from '../../src/sandbox/lists/crypto-assets.ts';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { MACRO_SERIES } from '../../src/sandbox/lists/macro-series.ts';
import { formatDay } from '../../src/time.ts';
import type { Draw } from '../bench/economy-random.ts';
import { QUERIES } from '../ready-made.ts';

/** What the clients of a soak ask. No two operations of a run are the same, except for the market page. */

/** One HTTP request. */
export interface Asked {
  method: 'GET' | 'POST';
  /** What follows `/graphql` in the URL. */
  search: string;
  body?: string;
  headers: Readonly<Record<string, string>>;
  /** Key of the client that sends it; undefined for any client. */
  key?: string;
}

const CODES = MACRO_SERIES.map(({ code }) => code);
const SYMBOLS = KNOWN_ASSETS.map(({ symbol }) => symbol);
const TODAY = Math.floor(Date.now() / 86_400_000);
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
/** How many different names operations that cost units have, and operations that cost none. */
const NAMES = 40;
const FREE_NAMES = 2000;

const post = (body: object, headers: Record<string, string> = {}): Asked => ({
  method: 'POST',
  search: '',
  body: JSON.stringify(body),
  headers: { ...JSON_HEADERS, ...headers },
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const textOf = new Map(QUERIES);
const PAGE = textOf.get('market-page.graphql')!;
/** The manifest of `src/operations`, which the gateway is given. */
export const MANIFEST = 'src/operations/generated/persisted-documents.json';

/** Draws a range of days, mostly in the last weeks. */
function dates(draw: Draw): { start: string; end: string } {
  const end = TODAY - draw.whole(draw.chance(0.8) ? 10 : 2000);
  return { start: formatDay(end - draw.whole(draw.chance(0.8) ? 60 : 1500)), end: formatDay(end) };
}

const quoted = (value: unknown) => JSON.stringify(value);

function field(draw: Draw): string {
  const { start, end } = dates(draw);
  const range = `start: ${quoted(start)}, end: ${quoted(end)}`;
  const pair = quoted(draw.popular(PAIRS));
  const symbols = quoted(Array.from({ length: 1 + draw.whole(5) }, () => draw.popular(SYMBOLS)));
  return draw.among([
    `fxRates(first: ${1 + draw.whole(60)}) { totalCount nodes { pair buying selling mid } }`,
    `fxRate(pair: ${pair}) { mid history(${range}) { change points(maxPoints: 50) { date value } } }`,
    `macroSeries(code: ${quoted(draw.popular(CODES))}) { name observations(${range}) { mean points { date value } } }`,
    `macroCatalog(filter: { codePrefix: "TP.D" }, first: ${1 + draw.whole(40)}) { nodes { code name } }`,
    `cryptoAssets(filter: { symbols: ${symbols} }, convert: ${draw.among(['USD', 'TRY', 'EUR'])}) { nodes { symbol price change24h } }`,
    `legislationChanges(filter: { start: ${quoted(formatDay(TODAY - draw.whole(90)))} }, first: ${1 + draw.whole(30)}) { totalCount nodes { id title } }`,
    `calendarEvents(filter: { start: ${quoted(end)}, importance: [HIGH] }, first: ${1 + draw.whole(30)}) { nodes { datetime event actual forecast } }`,
  ]);
}

function ownText(draw: Draw, n: number): string {
  const fields = Array.from({ length: 1 + draw.whole(3) }, (_, i) => `q${n}_${i}: ${field(draw)}`);
  return `query Own${draw.whole(NAMES)} { ${fields.join(' ')} }`;
}

/** A ready-made operation with variables of its own. */
function readyMade(draw: Draw, n: number): { query: string; variables: object } {
  const [name, variables] = draw.among<[string, object]>([
    ['convert', { amount: n, from: draw.among(['GBP', 'EUR', 'USD']), to: 'TRY' }],
    ['rate-history', { pair: draw.popular(PAIRS), ...dates(draw) }],
    [
      'rate-chart',
      { pair: draw.popular(PAIRS), last: 1 + (n % 2000), maxPoints: 10 + draw.whole(90) },
    ],
    ['macro-series', { code: draw.popular(CODES), ...dates(draw) }],
    ['macro-last-values', { code: draw.popular(CODES), last: 1 + (n % 900) }],
    ['crypto-asset', { symbol: draw.popular([...SYMBOLS, `NONE${n}`]) }],
    ['calendar', { first: 1 + draw.whole(100), filter: { start: formatDay(TODAY - (n % 300)) } }],
    ['object', { id: `FxRate:${draw.popular(PAIRS)}` }],
  ]);
  return { query: textOf.get(`${name}.graphql`)!, variables };
}

/** A ready-made operation that is asked for by its id in the manifest. */
function listed(draw: Draw, n: number, idOf: ReadonlyMap<string, string>): Asked {
  const { query, variables } = readyMade(draw, n);
  const documentId = idOf.get(/\b(?:query) (\w+)/.exec(query)![1]!)!;
  if (draw.chance(0.5)) return post({ documentId, variables });
  const search = `/${encodeURIComponent(documentId)}?${String(new URLSearchParams({ variables: quoted(variables) }))}`;
  return { method: 'GET', search, headers: { accept: 'application/json' } };
}

const hashOnly = (query: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } },
});

/** Requests that register a padded text: the hash alone, the hash with the text, the hash alone again. */
function registered(draw: Draw, n: number, { padding, key }: Weights): Asked[] {
  const query = `${ownText(draw, n)}\n# ${'-'.repeat(padding)}`;
  const alone = post(hashOnly(query));
  return [alone, post({ query, ...hashOnly(query) }), alone].map((one) => ({ ...one, key }));
}

/** A request that is refused, in one way or another. */
function invalid(draw: Draw, n: number): Asked {
  return draw.among([
    () => post({ query: `{ nothing${n} }` }),
    () => post({ query: `{ fxRates(first: ${n} ` }),
    () =>
      post({
        query: `query Bad($n: Int!) { fxRates(first: $n) { totalCount } }`,
        variables: { n: `no ${n}` },
      }),
    () => post({ query: `{ fxRate(pair: "nopair${n}") { mid } }` }),
    () => post({ query: `{ ${'a {'.repeat(300)} b${n} ${'}'.repeat(300)} }` }),
    () => post({ documentId: sha256(String(n)) }),
    () => ({ ...post({}), body: `{"query": "{ x${n}` }),
    () => ({ ...post({ query: `{ a${n} }` }), headers: { 'content-type': 'text/plain' } }),
    () =>
      post({
        query: `{ fxRate(pair: "USDTRY") { history(start: "1000-01-01", end: "3000-01-${n}") { change } } }`,
      }),
    () => post({ query: 'mutation { pay }', variables: { n } }),
  ])();
}

/** Returns what one client asks, one request after the other. `n` must be different in every call. */
export type Ask = (n: number) => Asked[];

interface Weights {
  /** Ids in the manifest by the names of the operations. */
  idOf: ReadonlyMap<string, string>;
  /** Characters by which each registered text is padded. */
  padding: number;
  /** Key of the client that registers texts: each client has a store of its own. */
  key: string;
}

export function createQuestions(draw: Draw, weights: Weights): Ask {
  return (n) =>
    draw.weighted<() => Asked[]>([
      [40, () => [post({ query: ownText(draw, n) })]],
      [22, () => [post(readyMade(draw, n))]],
      [12, () => [listed(draw, n, weights.idOf)]],
      [3, () => registered(draw, n, weights)],
      [5, () => [invalid(draw, n)]],
      [
        5,
        () => [
          post({
            query: `query Free${n % FREE_NAMES} { __typename usage { fx { usedThisMonth } } }`,
            variables: { n },
          }),
        ],
      ],
      [2, () => [post({ query: ownText(draw, n) }, { 'x-usage-dry-run': '1' })]],
      [3, () => [post({ query: `${PAGE}# ${n}` })]],
    ])();
}

const CODINGS = ['identity', 'gzip', 'br', 'zstd'];

/** The market page as everybody asks for it. */
export function hotPage(draw: Draw, idOf: ReadonlyMap<string, string>): Asked {
  const headers = { 'accept-encoding': draw.among(CODINGS) };
  const search = `/${encodeURIComponent(idOf.get('MarketPage')!)}`;
  if (draw.chance(0.5))
    return { method: 'GET', search, headers: { accept: 'application/json', ...headers } };
  return post({ query: PAGE }, headers);
}
