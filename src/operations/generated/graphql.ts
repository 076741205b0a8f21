/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** All conditions must hold; an empty list is no condition. */
export type CalendarEventFilter = {
  /** Any of these countries: at most 500. */
  countries?: Array<string> | null | undefined;
  /** Any of these currencies: at most 500. */
  currencies?: Array<string> | null | undefined;
  /** Default: today + 7 days. An end before today needs a `start`. */
  end?: string | null | undefined;
  /** Any of these levels: at most 500. */
  importance?: Array<Importance> | null | undefined;
  /** Any of these indicator codes: at most 500. */
  indicators?: Array<string> | null | undefined;
  /** Only events whose actual value is, or is not, known. */
  released?: boolean | null | undefined;
  /** Default: today. A start more than 7 days ahead needs an `end`. */
  start?: string | null | undefined;
};

/** Ties, and lists without an order, stay in the upstream's order. Sorting costs no further unit: it orders the records that the request returns anyway. */
export type CalendarEventOrder = {
  /** Direction of the order. */
  direction?: OrderDirection;
  /** What to order by. */
  field: CalendarEventOrderField;
};

/** Fields that events can be ordered by; events without a value come last. */
export type CalendarEventOrderField =
  /** Release time. */
  | 'DATETIME'
  /** Expected market impact: LOW, MEDIUM, HIGH. */
  | 'IMPORTANCE'
  /** actual minus forecast, in the unit of each event. */
  | 'SURPRISE';

/** The upstream's candle intervals. */
export type CandleInterval =
  /** Fifteen minutes (15m). */
  | 'FIFTEEN_MINUTES'
  /** Five minutes (5m). */
  | 'FIVE_MINUTES'
  /** Four hours (4h). */
  | 'FOUR_HOURS'
  /** One day (1d). */
  | 'ONE_DAY'
  /** One hour (1h). */
  | 'ONE_HOUR'
  /** One minute (1m). */
  | 'ONE_MINUTE'
  /** One week (1w). */
  | 'ONE_WEEK';

/** A currency that prices can be in. */
export type ConvertCurrency =
  /** Euro */
  | 'EUR'
  /** Turkish lira */
  | 'TRY'
  /** US dollar */
  | 'USD';

/** Which assets, and where they are traded. */
export type CryptoAssetFilter = {
  /** Prices on this exchange; sent to the upstream in lower case. */
  exchange?: string | null | undefined;
  /** Candle interval that is passed on to the upstream, whose documentation shows no candle record. Rarely of use: it costs a credit of its own, gives assets other ids, and the upstream may answer with the same records. TimeSeries.candles has candles of FX and macro series. */
  interval?: CandleInterval | null | undefined;
  /** Tickers, case-insensitive; at most 500. Of assets that share a ticker, the one with the best rank. If empty, the first assets by rank. */
  symbols?: Array<string> | null | undefined;
};

/** Ties, and lists without an order, are sorted by rank. Sorting costs no further unit: it orders the records that the request returns anyway. */
export type CryptoAssetOrder = {
  /** Direction of the order. */
  direction?: OrderDirection;
  /** What to order by. */
  field: CryptoAssetOrderField;
};

/** Fields that crypto assets can be ordered by; assets without a value come last. */
export type CryptoAssetOrderField =
  /** Change in 1 hour. */
  | 'CHANGE_1H'
  /** Change in 7 days. */
  | 'CHANGE_7D'
  /** Change in 24 hours: DESC gives the largest gains first. */
  | 'CHANGE_24H'
  /** Market capitalization. */
  | 'MARKET_CAP'
  /** Price in the currency of convert. */
  | 'PRICE'
  /** Rank by market cap: 1 is the largest, so ASC gives it first. */
  | 'RANK'
  /** Trading volume of the last 24 hours. */
  | 'VOLUME_24H';

/** How often a series has a value. */
export type Frequency =
  /** Every day, or every business day. */
  | 'DAILY'
  /** At irregular intervals. */
  | 'IRREGULAR'
  /** Once a month. */
  | 'MONTHLY'
  /** Once a quarter. */
  | 'QUARTERLY'
  /** Once a week. */
  | 'WEEKLY'
  /** Once a year. */
  | 'YEARLY';

/** All conditions must hold; an empty list is no condition. */
export type FxRateFilter = {
  /** Pairs that price this currency. */
  base?: string | null | undefined;
  /** Any of these pairs: at most 500. */
  pairs?: Array<string> | null | undefined;
  /** Pairs priced in this currency. */
  quote?: string | null | undefined;
};

/** What a released value means for the currency. */
export type Impact =
  /** Worse than expected. */
  | 'NEGATIVE'
  /** As expected. */
  | 'NEUTRAL'
  /** Better than expected. */
  | 'POSITIVE';

/** Expected market impact of a release. */
export type Importance =
  /** Usually moves markets. */
  | 'HIGH'
  /** Hardly moves markets. */
  | 'LOW'
  /** May move markets. */
  | 'MEDIUM';

/** All conditions must hold; an empty list is no condition. */
export type LegislationChangeFilter = {
  /** Any of these changes: at most 500. */
  changeTypes?: Array<LegislationChangeType> | null | undefined;
  /** Last publication date. Default, if `start` is given: today, or `start` if that is later. */
  end?: string | null | undefined;
  /** The publishing institution's slug, sent to the upstream. */
  institution?: string | null | undefined;
  /** Full-text query, sent to the upstream. */
  search?: string | null | undefined;
  /** First publication date; the range includes both ends. By default the upstream decides. */
  start?: string | null | undefined;
  /** Records that carry any of these topic tags: at most 500. */
  topics?: Array<string> | null | undefined;
  /** Any of these kinds of instrument: at most 500. */
  types?: Array<LegislationType> | null | undefined;
};

/** Ties, and lists without an order, stay in the upstream's order. Sorting costs no further unit: it orders the records that the request returns anyway. */
export type LegislationChangeOrder = {
  /** Direction of the order. */
  direction?: OrderDirection;
  /** What to order by. */
  field: LegislationChangeOrderField;
};

/** Fields that changes can be ordered by; changes without the date come last. */
export type LegislationChangeOrderField =
  /** Date of entry into force. */
  | 'EFFECTIVE_DATE'
  /** Publication date. */
  | 'PUBLISHED_AT';

/** What happened to the affected articles. */
export type LegislationChangeType =
  /** Something was added (ekleme). */
  | 'ADDITION'
  /** Something was changed (değişiklik; the upstream writes degisiklik). */
  | 'AMENDMENT'
  /** Any other kind of change: see changeTypeCode. */
  | 'OTHER'
  /** Something was repealed: it is no longer in force (yürürlükten kaldırma; the upstream writes yururlukten-kaldirma). */
  | 'REPEAL';

/** Kind of instrument. */
export type LegislationType =
  /** A circular: instructions to the administration (genelge). */
  | 'CIRCULAR'
  /** A communiqué: detailed rules of an authority (tebliğ; the upstream writes teblig). */
  | 'COMMUNIQUE'
  /** A law passed by parliament (kanun). */
  | 'LAW'
  /** Any other kind of instrument: see typeCode. */
  | 'OTHER'
  /** A regulation: how a law is carried out (yönetmelik; the upstream writes yonetmelik). */
  | 'REGULATION';

/** All conditions must hold; an empty list is no condition. */
export type MacroSeriesFilter = {
  /** Codes that begin with this text, e.g. TP.DK. */
  codePrefix?: string | null | undefined;
  /** Any of these series: at most 500. */
  codes?: Array<string> | null | undefined;
  /** Sent to the upstream's catalog search. */
  search?: string | null | undefined;
};

/** Which way a list is ordered. */
export type OrderDirection =
  /** The lowest, or earliest, first. */
  | 'ASC'
  /** The highest, or latest, first. */
  | 'DESC';

/** A calendar period. */
export type Period =
  /** A day. */
  | 'DAY'
  /** A calendar month. */
  | 'MONTH'
  /** Three months, from the first of January, April, July or October. */
  | 'QUARTER'
  /** From Monday to Sunday. */
  | 'WEEK'
  /** A calendar year. */
  | 'YEAR';

export type CalendarByImportanceQueryVariables = Exact<{
  filter?: CalendarEventFilter | null | undefined;
  orderBy?: CalendarEventOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type CalendarByImportanceQuery = { calendarEvents: { totalCount: number, timezone: string, nodes: Array<{ id: string, datetime: string, country: string, event: string, importance: Importance | null, actual: number | null, forecast: number | null, surprise: number | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type CalendarQueryVariables = Exact<{
  filter?: CalendarEventFilter | null | undefined;
  quote?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type CalendarQuery = { calendarEvents: { totalCount: number, timezone: string, nodes: Array<{ id: string, recordId: string, datetime: string, country: string, currency: string | null, event: string, indicator: string | null, importance: Importance | null, period: string | null, actual: number | null, forecast: number | null, previous: number | null, unit: string | null, surprise: number | null, impact: Impact | null, released: boolean, fxRates: Array<{ id: string, pair: string, mid: number }> | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { source: string, asOf: string, retrievedAt: string, stale: boolean } } | null };

export type ConvertQueryVariables = Exact<{
  amount?: number;
  from?: string;
  to?: string;
}>;


export type ConvertQuery = { convert: { amount: number, from: string, to: string, rate: number, result: number, path: Array<{ id: string, pair: string, mid: number }>, provenance: { asOf: string, stale: boolean } } | null };

export type CryptoAssetQueryVariables = Exact<{
  symbol?: string;
  convert?: ConvertCurrency | null | undefined;
  exchange?: string | null | undefined;
}>;


export type CryptoAssetQuery = { cryptoAsset: { id: string, symbol: string, name: string, rank: number | null, price: number, convert: ConvertCurrency, priceUsd: number | null, change1h: number | null, change24h: number | null, change7d: number | null, volume24h: number | null, marketCap: number | null, updatedAt: string | null } | null };

export type CryptoGainsQueryVariables = Exact<{
  filter?: CryptoAssetFilter | null | undefined;
  orderBy?: CryptoAssetOrder | null | undefined;
  convert?: ConvertCurrency | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type CryptoGainsQuery = { cryptoAssets: { totalCount: number, nodes: Array<{ id: string, symbol: string, name: string, rank: number | null, price: number, change24h: number | null, volume24h: number | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { asOf: string, stale: boolean } } | null };

export type CryptoPricesInCurrenciesQueryVariables = Exact<{
  filter?: CryptoAssetFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type CryptoPricesInCurrenciesQuery = { cryptoAssets: { timestamp: string | null, nodes: Array<{ id: string, symbol: string, name: string, change24h: number | null, inUsd: number, inTry: number | null, inEur: number | null }>, provenance: { asOf: string, stale: boolean } } | null };

export type CryptoQueryVariables = Exact<{
  filter?: CryptoAssetFilter | null | undefined;
  convert?: ConvertCurrency | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type CryptoQuery = { cryptoAssets: { totalCount: number, convert: ConvertCurrency, timestamp: string | null, nodes: Array<{ id: string, symbol: string, name: string, rank: number | null, price: number, change1h: number | null, change24h: number | null, change7d: number | null, volume24h: number | null, marketCap: number | null, circulatingSupply: number | null, maxSupply: number | null, dominance: number | null, updatedAt: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { source: string, asOf: string, retrievedAt: string, stale: boolean } } | null };

export type LegislationByEffectiveDateQueryVariables = Exact<{
  filter?: LegislationChangeFilter | null | undefined;
  orderBy?: LegislationChangeOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LegislationByEffectiveDateQuery = { legislationChanges: { totalCount: number, nodes: Array<{ id: string, publishedAt: string, effectiveDate: string | null, type: LegislationType, title: string, changeType: LegislationChangeType }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type LegislationQueryVariables = Exact<{
  filter?: LegislationChangeFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LegislationQuery = { legislationChanges: { totalCount: number, nodes: Array<{ id: string, recordId: string, publishedAt: string, effectiveDate: string | null, type: LegislationType, title: string, institution: string | null, topics: Array<string>, changeType: LegislationChangeType, affectedArticles: Array<string>, summary: string | null, gazetteNumber: number | null, sourceUrl: string | null, parentLaw: { name: string, number: string | null } | null, diff: { before: string | null, after: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { source: string, asOf: string, retrievedAt: string, stale: boolean } } | null };

export type LiveCryptoSubscriptionVariables = Exact<{
  symbols?: Array<string> | string;
  convert?: ConvertCurrency | null | undefined;
}>;


export type LiveCryptoSubscription = { cryptoAssetsUpdated: Array<{ id: string, symbol: string, price: number, convert: ConvertCurrency, change24h: number | null, updatedAt: string | null }> };

export type LiveLegislationSubscriptionVariables = Exact<{
  filter?: LegislationChangeFilter | null | undefined;
}>;


export type LiveLegislationSubscription = { legislationChangePublished: { id: string, publishedAt: string, effectiveDate: string | null, type: LegislationType, title: string, changeType: LegislationChangeType, institution: string | null } };

export type LiveRatesSubscriptionVariables = Exact<{
  pairs?: Array<string> | string;
}>;


export type LiveRatesSubscription = { fxRatesUpdated: Array<{ id: string, pair: string, buying: number, selling: number, mid: number }> };

export type LiveReleasesSubscriptionVariables = Exact<{
  filter?: CalendarEventFilter | null | undefined;
}>;


export type LiveReleasesSubscription = { calendarEventReleased: { id: string, datetime: string, country: string, event: string, importance: Importance | null, actual: number | null, forecast: number | null, surprise: number | null, impact: Impact | null } };

export type MacroCatalogQueryVariables = Exact<{
  filter?: MacroSeriesFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type MacroCatalogQuery = { macroCatalog: { totalCount: number, nodes: Array<{ id: string, code: string, name: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { source: string, asOf: string, retrievedAt: string, stale: boolean } } | null };

export type MacroLastValuesQueryVariables = Exact<{
  code?: string;
  last?: number | null | undefined;
}>;


export type MacroLastValuesQuery = { macroSeries: { id: string, code: string, name: string | null, frequency: Frequency | null, observations: { start: string, end: string, mean: number | null, change: number | null, changePercent: number | null, points: Array<{ date: string, value: number }>, byYear: Array<{ date: string, value: number }>, provenance: { asOf: string, stale: boolean } } | null } | null };

export type MacroSeriesQueryVariables = Exact<{
  code?: string;
  start?: string | null | undefined;
  end?: string | null | undefined;
}>;


export type MacroSeriesQuery = { macroSeries: { id: string, code: string, name: string | null, observations: { start: string, end: string, change: number | null, changePercent: number | null, points: Array<{ date: string, value: number }>, latest: { date: string, value: number } | null, min: { date: string, value: number } | null, max: { date: string, value: number } | null, provenance: { source: string, asOf: string, license: string | null, stale: boolean } } | null } | null };

export type MarketPageQueryVariables = Exact<{
  pairs?: Array<string> | string | null | undefined;
  pair?: string;
  series?: string;
  symbols?: Array<string> | string | null | undefined;
  convert?: ConvertCurrency | null | undefined;
}>;


export type MarketPageQuery = { rates: { nodes: Array<{ id: string, pair: string, buying: number, selling: number, mid: number }>, provenance: { asOf: string, stale: boolean } } | null, week: { id: string, pair: string, history: { changePercent: number | null, points: Array<{ date: string, value: number }> } | null } | null, series: { id: string, code: string, name: string | null, observations: { change: number | null, latest: { date: string, value: number } | null } | null } | null, legislation: { totalCount: number, nodes: Array<{ id: string, publishedAt: string, type: LegislationType, title: string, changeType: LegislationChangeType, institution: string | null }> } | null, calendar: { timezone: string, nodes: Array<{ id: string, datetime: string, country: string, event: string, actual: number | null, forecast: number | null, previous: number | null, released: boolean }> } | null, crypto: { nodes: Array<{ id: string, symbol: string, name: string, price: number, convert: ConvertCurrency, change24h: number | null }>, provenance: { asOf: string, stale: boolean } } | null };

export type ObjectQueryVariables = Exact<{
  id?: string | number;
}>;


export type ObjectQuery = { node:
    | { __typename: 'CalendarEvent', datetime: string, event: string, actual: number | null, id: string }
    | { __typename: 'CryptoAsset', symbol: string, price: number, convert: ConvertCurrency, id: string }
    | { __typename: 'FxRate', pair: string, mid: number, id: string }
    | { __typename: 'LegislationChange', publishedAt: string, title: string, id: string }
    | { __typename: 'MacroSeries', code: string, name: string | null, frequency: Frequency | null, id: string }
   | null };

export type ObjectsQueryVariables = Exact<{
  ids?: Array<string | number> | string | number;
}>;


export type ObjectsQuery = { nodes: Array<
    | { __typename: 'CalendarEvent', datetime: string, event: string, actual: number | null, id: string }
    | { __typename: 'CryptoAsset', symbol: string, price: number, convert: ConvertCurrency, id: string }
    | { __typename: 'FxRate', pair: string, mid: number, id: string }
    | { __typename: 'LegislationChange', publishedAt: string, title: string, id: string }
    | { __typename: 'MacroSeries', code: string, name: string | null, id: string }
   | null> };

export type RateChartQueryVariables = Exact<{
  pair?: string;
  last?: number | null | undefined;
  maxPoints?: number | null | undefined;
  every?: Period;
}>;


export type RateChartQuery = { fxRate: { id: string, pair: string, history: { start: string, end: string, mean: number | null, points: Array<{ date: string, value: number }>, candles: Array<{ start: string, end: string, open: number, high: number, low: number, close: number }>, provenance: { asOf: string, stale: boolean } } | null } | null };

export type RateHistoryQueryVariables = Exact<{
  pair?: string;
  start?: string | null | undefined;
  end?: string | null | undefined;
}>;


export type RateHistoryQuery = { fxRate: { id: string, pair: string, mid: number, history: { start: string, end: string, change: number | null, changePercent: number | null, points: Array<{ date: string, value: number }>, latest: { date: string, value: number } | null, min: { date: string, value: number } | null, max: { date: string, value: number } | null, provenance: { source: string, asOf: string, stale: boolean } } | null } | null };

export type RatesQueryVariables = Exact<{
  filter?: FxRateFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type RatesQuery = { fxRates: { totalCount: number, nodes: Array<{ id: string, pair: string, base: string, quote: string, buying: number, selling: number, mid: number, spread: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, provenance: { source: string, asOf: string, retrievedAt: string, stale: boolean } } | null };

export type UsageQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageQuery = { usage: { fx: { usedThisMonth: number, background: number, limit: number | null, remaining: number | null }, macro: { usedThisMonth: number, background: number, limit: number | null, remaining: number | null }, credits: { usedThisMonth: number, background: number, limit: number | null, remaining: number | null } }, health: { ok: boolean, status: string | null, db: boolean | null, cache: boolean | null, time: string | null } | null };

export type MeterFragment = { usedThisMonth: number, background: number, limit: number | null, remaining: number | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const MeterFragmentDoc = new TypedDocumentString(`
    fragment Meter on Meter {
  usedThisMonth
  background
  limit
  remaining
}
    `, {"fragmentName":"Meter"}) as unknown as TypedDocumentString<MeterFragment, unknown>;
export const CalendarByImportanceDocument = new TypedDocumentString(`
    query CalendarByImportance($filter: CalendarEventFilter, $orderBy: CalendarEventOrder = { field: IMPORTANCE, direction: DESC }, $first: Int = 25, $after: String) {
  calendarEvents(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    totalCount
    timezone
    nodes {
      id
      datetime
      country
      event
      importance
      actual
      forecast
      surprise
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `, {"hash":"sha256:8946563a6a1f76d2dd9eb1032a7a62b71917a58ea16daf6f57b4319fdcbde415"}) as unknown as TypedDocumentString<CalendarByImportanceQuery, CalendarByImportanceQueryVariables>;
export const CalendarDocument = new TypedDocumentString(`
    query Calendar($filter: CalendarEventFilter = { importance: [HIGH, MEDIUM] }, $quote: CurrencyCode = "TRY", $first: Int = 25, $after: String) {
  calendarEvents(filter: $filter, first: $first, after: $after) {
    totalCount
    timezone
    nodes {
      id
      recordId
      datetime
      country
      currency
      event
      indicator
      importance
      period
      actual
      forecast
      previous
      unit
      surprise
      impact
      released
      fxRates(quote: $quote) {
        id
        pair
        mid
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      source
      asOf
      retrievedAt
      stale
    }
  }
}
    `, {"hash":"sha256:d721242b5664bd7f2c8b279f51141d5cdb0e359ba8ce721534093bfe349e2124"}) as unknown as TypedDocumentString<CalendarQuery, CalendarQueryVariables>;
export const ConvertDocument = new TypedDocumentString(`
    query Convert($amount: Float! = 100, $from: CurrencyCode! = "GBP", $to: CurrencyCode! = "TRY") {
  convert(amount: $amount, from: $from, to: $to) {
    amount
    from
    to
    rate
    result
    path {
      id
      pair
      mid
    }
    provenance {
      asOf
      stale
    }
  }
}
    `, {"hash":"sha256:4f919ca91a6dc930ec3c5c56391ef5c9940b3e3d08751c4f64cea784c20d93a1"}) as unknown as TypedDocumentString<ConvertQuery, ConvertQueryVariables>;
export const CryptoAssetDocument = new TypedDocumentString(`
    query CryptoAsset($symbol: String! = "BTC", $convert: ConvertCurrency = USD, $exchange: String) {
  cryptoAsset(symbol: $symbol, convert: $convert, exchange: $exchange) {
    id
    symbol
    name
    rank
    price
    convert
    priceUsd
    change1h
    change24h
    change7d
    volume24h
    marketCap
    updatedAt
  }
}
    `, {"hash":"sha256:655f8cf61569ff0c2ccaf25acf01d6689e4e38ad01f03755f477ec789c29ed87"}) as unknown as TypedDocumentString<CryptoAssetQuery, CryptoAssetQueryVariables>;
export const CryptoGainsDocument = new TypedDocumentString(`
    query CryptoGains($filter: CryptoAssetFilter, $orderBy: CryptoAssetOrder = { field: CHANGE_24H, direction: DESC }, $convert: ConvertCurrency = USD, $first: Int = 10, $after: String) {
  cryptoAssets(
    filter: $filter
    orderBy: $orderBy
    convert: $convert
    first: $first
    after: $after
  ) {
    totalCount
    nodes {
      id
      symbol
      name
      rank
      price
      change24h
      volume24h
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      asOf
      stale
    }
  }
}
    `, {"hash":"sha256:47a3d09dfd64a240b54d9143c7caf6108e09133d5366aa8eb234c21ec3f03034"}) as unknown as TypedDocumentString<CryptoGainsQuery, CryptoGainsQueryVariables>;
export const CryptoPricesInCurrenciesDocument = new TypedDocumentString(`
    query CryptoPricesInCurrencies($filter: CryptoAssetFilter = { symbols: ["BTC", "ETH", "SOL", "XRP"] }, $first: Int = 20) {
  cryptoAssets(filter: $filter, first: $first) {
    timestamp
    nodes {
      id
      symbol
      name
      inUsd: price
      inTry: priceIn(convert: TRY)
      inEur: priceIn(convert: EUR)
      change24h
    }
    provenance {
      asOf
      stale
    }
  }
}
    `, {"hash":"sha256:c5cd6faccb7abe56f9066ebcfdcc43434048a42c2e461b00fb7a9c1fbcc1d8b6"}) as unknown as TypedDocumentString<CryptoPricesInCurrenciesQuery, CryptoPricesInCurrenciesQueryVariables>;
export const CryptoDocument = new TypedDocumentString(`
    query Crypto($filter: CryptoAssetFilter, $convert: ConvertCurrency = USD, $first: Int = 20, $after: String) {
  cryptoAssets(filter: $filter, convert: $convert, first: $first, after: $after) {
    totalCount
    convert
    timestamp
    nodes {
      id
      symbol
      name
      rank
      price
      change1h
      change24h
      change7d
      volume24h
      marketCap
      circulatingSupply
      maxSupply
      dominance
      updatedAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      source
      asOf
      retrievedAt
      stale
    }
  }
}
    `, {"hash":"sha256:7a8fcccd89497e16da3ceb67a546c2b67ce946a25e3ba28ac3b0ab29914d9edb"}) as unknown as TypedDocumentString<CryptoQuery, CryptoQueryVariables>;
export const LegislationByEffectiveDateDocument = new TypedDocumentString(`
    query LegislationByEffectiveDate($filter: LegislationChangeFilter, $orderBy: LegislationChangeOrder = { field: EFFECTIVE_DATE, direction: DESC }, $first: Int = 10, $after: String) {
  legislationChanges(
    filter: $filter
    orderBy: $orderBy
    first: $first
    after: $after
  ) {
    totalCount
    nodes {
      id
      publishedAt
      effectiveDate
      type
      title
      changeType
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `, {"hash":"sha256:629256ce29c2acc0826182f2139e77656435e5776d3b6ba25b62c4bbaff5b792"}) as unknown as TypedDocumentString<LegislationByEffectiveDateQuery, LegislationByEffectiveDateQueryVariables>;
export const LegislationDocument = new TypedDocumentString(`
    query Legislation($filter: LegislationChangeFilter = { types: [LAW, REGULATION, COMMUNIQUE] }, $first: Int = 10, $after: String) {
  legislationChanges(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes {
      id
      recordId
      publishedAt
      effectiveDate
      type
      title
      parentLaw {
        name
        number
      }
      institution
      topics
      changeType
      affectedArticles
      summary
      diff {
        before
        after
      }
      gazetteNumber
      sourceUrl
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      source
      asOf
      retrievedAt
      stale
    }
  }
}
    `, {"hash":"sha256:6900a4b89fc761c084e483268ef9df8565e6020474047434098c95cbb78e8dd4"}) as unknown as TypedDocumentString<LegislationQuery, LegislationQueryVariables>;
export const LiveCryptoDocument = new TypedDocumentString(`
    subscription LiveCrypto($symbols: [String!]! = ["BTC", "ETH"], $convert: ConvertCurrency = USD) {
  cryptoAssetsUpdated(symbols: $symbols, convert: $convert) {
    id
    symbol
    price
    convert
    change24h
    updatedAt
  }
}
    `, {"hash":"sha256:ae39f75712d29c4551c545348639247c5ed8e8e77acb624824e58d77dffdb8ec"}) as unknown as TypedDocumentString<LiveCryptoSubscription, LiveCryptoSubscriptionVariables>;
export const LiveLegislationDocument = new TypedDocumentString(`
    subscription LiveLegislation($filter: LegislationChangeFilter) {
  legislationChangePublished(filter: $filter) {
    id
    publishedAt
    effectiveDate
    type
    title
    changeType
    institution
  }
}
    `, {"hash":"sha256:53310801ad270cdd710d9c6e5108eb184c5bed4b662e7d32cc90bb0e6d7536cc"}) as unknown as TypedDocumentString<LiveLegislationSubscription, LiveLegislationSubscriptionVariables>;
export const LiveRatesDocument = new TypedDocumentString(`
    subscription LiveRates($pairs: [CurrencyPair!]! = ["USDTRY", "EURTRY"]) {
  fxRatesUpdated(pairs: $pairs) {
    id
    pair
    buying
    selling
    mid
  }
}
    `, {"hash":"sha256:6c2bf833b6559bf8d992c67d831c066343c10e3782346eca67365d0c610abb8e"}) as unknown as TypedDocumentString<LiveRatesSubscription, LiveRatesSubscriptionVariables>;
export const LiveReleasesDocument = new TypedDocumentString(`
    subscription LiveReleases($filter: CalendarEventFilter) {
  calendarEventReleased(filter: $filter) {
    id
    datetime
    country
    event
    importance
    actual
    forecast
    surprise
    impact
  }
}
    `, {"hash":"sha256:19d7d74de59478aa3e21a8fd6e8e800dde626994e0ac088ec05f3280df363ce9"}) as unknown as TypedDocumentString<LiveReleasesSubscription, LiveReleasesSubscriptionVariables>;
export const MacroCatalogDocument = new TypedDocumentString(`
    query MacroCatalog($filter: MacroSeriesFilter = { codePrefix: "TP.DK" }, $first: Int = 50, $after: String) {
  macroCatalog(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes {
      id
      code
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      source
      asOf
      retrievedAt
      stale
    }
  }
}
    `, {"hash":"sha256:b7f0bd4374c60441b674403f6b5af00b5aae602d587ee17c3797d20f78290e4b"}) as unknown as TypedDocumentString<MacroCatalogQuery, MacroCatalogQueryVariables>;
export const MacroLastValuesDocument = new TypedDocumentString(`
    query MacroLastValues($code: String! = "TP.FG.J0", $last: Int = 24) {
  macroSeries(code: $code) {
    id
    code
    name
    frequency
    observations(last: $last) {
      start
      end
      points {
        date
        value
      }
      byYear: points(every: YEAR, take: MEAN) {
        date
        value
      }
      mean
      change
      changePercent
      provenance {
        asOf
        stale
      }
    }
  }
}
    `, {"hash":"sha256:453ab165689fade169d36a35db742a035d4c76811060ad9ac1e5e485b256c040"}) as unknown as TypedDocumentString<MacroLastValuesQuery, MacroLastValuesQueryVariables>;
export const MacroSeriesDocument = new TypedDocumentString(`
    query MacroSeries($code: String! = "TP.DK.USD.A", $start: Date, $end: Date) {
  macroSeries(code: $code) {
    id
    code
    name
    observations(start: $start, end: $end) {
      start
      end
      points {
        date
        value
      }
      latest {
        date
        value
      }
      min {
        date
        value
      }
      max {
        date
        value
      }
      change
      changePercent
      provenance {
        source
        asOf
        license
        stale
      }
    }
  }
}
    `, {"hash":"sha256:6a0ebee81ea888c9b0b2a886c2f34725c3f04c110b61b25051f5515d6faa4046"}) as unknown as TypedDocumentString<MacroSeriesQuery, MacroSeriesQueryVariables>;
export const MarketPageDocument = new TypedDocumentString(`
    query MarketPage($pairs: [CurrencyPair!] = ["USDTRY", "EURTRY", "EURUSD"], $pair: CurrencyPair! = "USDTRY", $series: String! = "TP.DK.USD.A", $symbols: [String!] = ["BTC", "ETH", "SOL"], $convert: ConvertCurrency = TRY) {
  rates: fxRates(filter: { pairs: $pairs }) {
    nodes {
      id
      pair
      buying
      selling
      mid
    }
    provenance {
      asOf
      stale
    }
  }
  week: fxRate(pair: $pair) {
    id
    pair
    history {
      points {
        date
        value
      }
      changePercent
    }
  }
  series: macroSeries(code: $series) {
    id
    code
    name
    observations {
      latest {
        date
        value
      }
      change
    }
  }
  legislation: legislationChanges(first: 5) {
    totalCount
    nodes {
      id
      publishedAt
      type
      title
      changeType
      institution
    }
  }
  calendar: calendarEvents(filter: { importance: [HIGH] }, first: 5) {
    timezone
    nodes {
      id
      datetime
      country
      event
      actual
      forecast
      previous
      released
    }
  }
  crypto: cryptoAssets(filter: { symbols: $symbols }, convert: $convert) {
    nodes {
      id
      symbol
      name
      price
      convert
      change24h
    }
    provenance {
      asOf
      stale
    }
  }
}
    `, {"hash":"sha256:9d47d0866e8d75272ebd84b2bee1c12bc2727fa25a31a802d5e0c3d86d86b5b6"}) as unknown as TypedDocumentString<MarketPageQuery, MarketPageQueryVariables>;
export const ObjectDocument = new TypedDocumentString(`
    query Object($id: ID! = "FxRate:USDTRY") {
  node(id: $id) {
    __typename
    id
    ... on FxRate {
      pair
      mid
    }
    ... on MacroSeries {
      code
      name
      frequency
    }
    ... on LegislationChange {
      publishedAt
      title
    }
    ... on CalendarEvent {
      datetime
      event
      actual
    }
    ... on CryptoAsset {
      symbol
      price
      convert
    }
  }
}
    `, {"hash":"sha256:424d5b73900d0dfbbc5caae436b8532f7b8a551262887044f08bad392e751421"}) as unknown as TypedDocumentString<ObjectQuery, ObjectQueryVariables>;
export const ObjectsDocument = new TypedDocumentString(`
    query Objects($ids: [ID!]! = ["FxRate:USDTRY", "MacroSeries:TP.DK.USD.A"]) {
  nodes(ids: $ids) {
    __typename
    id
    ... on FxRate {
      pair
      mid
    }
    ... on MacroSeries {
      code
      name
    }
    ... on LegislationChange {
      publishedAt
      title
    }
    ... on CalendarEvent {
      datetime
      event
      actual
    }
    ... on CryptoAsset {
      symbol
      price
      convert
    }
  }
}
    `, {"hash":"sha256:5917222589df531b8a6c1b76e19a415dce74f450ee04fc9fd3c11ab133e27924"}) as unknown as TypedDocumentString<ObjectsQuery, ObjectsQueryVariables>;
export const RateChartDocument = new TypedDocumentString(`
    query RateChart($pair: CurrencyPair! = "USDTRY", $last: Int = 120, $maxPoints: Int = 40, $every: Period! = WEEK) {
  fxRate(pair: $pair) {
    id
    pair
    history(last: $last) {
      start
      end
      points(maxPoints: $maxPoints) {
        date
        value
      }
      candles(every: $every) {
        start
        end
        open
        high
        low
        close
      }
      mean
      provenance {
        asOf
        stale
      }
    }
  }
}
    `, {"hash":"sha256:2963d55a0b7cbece69e8cf6a6b4f1107170dc809527df494ae59c3777d842f34"}) as unknown as TypedDocumentString<RateChartQuery, RateChartQueryVariables>;
export const RateHistoryDocument = new TypedDocumentString(`
    query RateHistory($pair: CurrencyPair! = "USDTRY", $start: Date, $end: Date) {
  fxRate(pair: $pair) {
    id
    pair
    mid
    history(start: $start, end: $end) {
      start
      end
      points {
        date
        value
      }
      latest {
        date
        value
      }
      min {
        date
        value
      }
      max {
        date
        value
      }
      change
      changePercent
      provenance {
        source
        asOf
        stale
      }
    }
  }
}
    `, {"hash":"sha256:277a92a6edb23fc85bbcb73797afbf1061557fcddbc20b31a41ea6c4319afd3c"}) as unknown as TypedDocumentString<RateHistoryQuery, RateHistoryQueryVariables>;
export const RatesDocument = new TypedDocumentString(`
    query Rates($filter: FxRateFilter = { quote: "TRY" }, $first: Int = 20, $after: String) {
  fxRates(filter: $filter, first: $first, after: $after) {
    totalCount
    nodes {
      id
      pair
      base
      quote
      buying
      selling
      mid
      spread
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    provenance {
      source
      asOf
      retrievedAt
      stale
    }
  }
}
    `, {"hash":"sha256:d904892fb6e18b4e247f00fc2a20231c50efc8cceb1b6dad30f1832d847cde7d"}) as unknown as TypedDocumentString<RatesQuery, RatesQueryVariables>;
export const UsageDocument = new TypedDocumentString(`
    query Usage {
  usage {
    fx {
      ...Meter
    }
    macro {
      ...Meter
    }
    credits {
      ...Meter
    }
  }
  health {
    ok
    status
    db
    cache
    time
  }
}
    fragment Meter on Meter {
  usedThisMonth
  background
  limit
  remaining
}`, {"hash":"sha256:fc199cdf6faa31533ea577f006c9110658f0f94e3757eb3ed42f299df6324aea"}) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;