/** The part of the gateway's schema that the benchmark's operations use. */
export const typeDefs = `
  scalar Date
  scalar DateTime

  type Query {
    fxRates(filter: FxRateFilter, first: Int): FxRateConnection
    fxRate(pair: String!): FxRate
    macroSeries(code: String!): MacroSeries
    legislationChanges(filter: LegislationFilter, first: Int): LegislationConnection
    calendarEvents(filter: CalendarFilter, first: Int): CalendarConnection
    cryptoAssets(filter: CryptoFilter, convert: Currency = USD, first: Int): CryptoConnection
    cryptoAsset(symbol: String!, convert: Currency = USD): CryptoAsset
  }

  input FxRateFilter { pairs: [String!] }
  input CalendarFilter { importance: [Importance!] }
  input LegislationFilter { start: Date }
  input CryptoFilter { symbols: [String!] }
  enum Importance { LOW MEDIUM HIGH }
  enum Currency { USD TRY EUR }

  type Provenance { asOf: DateTime! stale: Boolean! }
  type HistoryPoint { date: Date! value: Float! }
  type TimeSeries { points: [HistoryPoint!]! latest: HistoryPoint change: Float changePercent: Float }

  type FxRate {
    id: ID!
    pair: String!
    buying: Float!
    selling: Float!
    mid: Float!
    history: TimeSeries
  }
  type FxRateConnection { nodes: [FxRate!]! totalCount: Int! provenance: Provenance! }

  type MacroSeries { id: ID! code: String! name: String observations: TimeSeries }

  type LegislationChange {
    id: ID!
    publishedAt: Date!
    type: String!
    title: String!
    changeType: String!
    institution: String
    summary: String
  }
  type LegislationConnection { nodes: [LegislationChange!]! totalCount: Int! }

  type CalendarEvent {
    id: ID!
    datetime: DateTime!
    country: String!
    event: String!
    actual: Float
    forecast: Float
    previous: Float
    released: Boolean!
  }
  type CalendarConnection { nodes: [CalendarEvent!]! totalCount: Int! timezone: String! }

  type CryptoAsset {
    id: ID!
    symbol: String!
    name: String!
    rank: Int
    price: Float!
    priceUsd: Float
    change1h: Float
    change24h: Float
    change7d: Float
    volume24h: Float
    marketCap: Float
    circulatingSupply: Float
    maxSupply: Float
    dominance: Float
    updatedAt: DateTime
  }
  type CryptoConnection {
    nodes: [CryptoAsset!]!
    totalCount: Int!
    timestamp: DateTime
    provenance: Provenance!
  }
`;
