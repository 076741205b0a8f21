/**
 * Resolvers of both peers. `load` returns the parsed body of an upstream request; whether it sends the request again is
 * up to each server.
 *
 * @typedef {{ load(group: 'A' | 'B', path: string): Promise<any> }} Context
 */

const DEFAULT_COUNT = 100;

const idOf = (type, ...parts) => Buffer.from([type, ...parts].join(':')).toString('base64url');

/** A list in the shape of the gateway's connections. */
function page(body, records, first = DEFAULT_COUNT) {
  return {
    nodes: records.slice(0, first),
    totalCount: records.length,
    timezone: body.timezone,
    timestamp: body.timestamp,
    provenance: { asOf: body.asOf ?? body.timestamp, stale: false },
  };
}

/** A time series: its points, and what is computed from them. */
function series({ data }) {
  const points = data.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const latest = points.at(-1) ?? null;
  const change = points.length > 1 ? latest.value - points[0].value : null;
  const changePercent = change === null ? null : (change / points[0].value) * 100;
  return { points, latest, change, changePercent };
}

const isIn = (list, value) => !list?.length || list.includes(value);

const Query = {
  async fxRates(_root, { filter, first }, { load }) {
    const body = await load('A', '/v1/fx/rates');
    return page(
      body,
      body.data.filter(({ pair }) => isIn(filter?.pairs, pair)),
      first,
    );
  },
  async fxRate(_root, { pair }, { load }) {
    const { data } = await load('A', '/v1/fx/rates');
    return data.find((rate) => rate.pair === pair) ?? null;
  },
  async macroSeries(_root, { code }, { load }) {
    const [{ data }, observations] = await Promise.all([
      load('A', '/v1/macro/catalog'),
      load('A', `/v1/macro/series/${code}`),
    ]);
    const found = data.find((item) => item.code === code);
    return found ? { ...found, observations: series(observations) } : null;
  },
  async legislationChanges(_root, { filter, first }, { load }) {
    const search = filter?.start ? `?start=${filter.start}` : '';
    const body = await load('B', `/legislation/changes${search}`);
    return page(body, body.data, first);
  },
  async calendarEvents(_root, { filter, first }, { load }) {
    const body = await load('B', '/calendar/events');
    const wanted = ({ importance }) => isIn(filter?.importance, importance?.toUpperCase());
    return page(body, body.data.filter(wanted), first);
  },
  async cryptoAssets(_root, { filter, convert, first }, { load }) {
    const body = await load('B', `/crypto/prices?convert=${convert}&limit=500`);
    const { symbols } = filter ?? {};
    const records = symbols?.length
      ? body.data.filter(({ symbol }) => symbols.includes(symbol))
      : body.data;
    return page(body, records, first);
  },
  async cryptoAsset(_root, { symbol, convert }, { load }) {
    const { data } = await load('B', `/crypto/prices?convert=${convert}&limit=500`);
    return data.find((asset) => asset.symbol === symbol) ?? null;
  },
};

export const resolvers = {
  Query,
  FxRate: {
    id: ({ pair }) => idOf('FxRate', pair),
    mid: ({ buying, selling }) => (buying + selling) / 2,
    history: async ({ pair }, _args, { load }) =>
      series(await load('A', `/v1/fx/rates/${pair}/history`)),
  },
  MacroSeries: { id: ({ code }) => idOf('MacroSeries', code) },
  LegislationChange: { id: ({ id, publishedAt }) => idOf('LegislationChange', publishedAt, id) },
  CalendarEvent: {
    id: ({ id, datetime }) => idOf('CalendarEvent', datetime.slice(0, 10), id),
    released: ({ actual }) => actual !== null,
  },
  CryptoAsset: { id: ({ symbol }) => idOf('CryptoAsset', symbol) },
};
