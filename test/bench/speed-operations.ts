/** The operations of the speed benchmark. Every server in it has the fields they use. */

export interface Operation {
  query: string;
  operationName: string;
  variables: Readonly<Record<string, unknown>>;
}

const DAYS = 14;
const DAY_MS = 86_400_000;

/** The first day of the legislation that a page shows. */
export const SINCE = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);

const ASSET = `id symbol name rank price change1h change24h change7d volume24h marketCap
      circulatingSupply maxSupply dominance updatedAt`;

/** Six kinds of data, about 20 kB. */
export const page: Operation = {
  operationName: 'Page',
  variables: { series: 'TP.DK.USD.A', since: SINCE },
  query: `query Page($series: String!, $since: Date) {
    rates: fxRates(first: 17) {
      nodes { id pair buying selling mid }
      provenance { asOf stale }
    }
    week: fxRate(pair: "USDTRY") {
      id
      pair
      history { points { date value } changePercent }
    }
    series: macroSeries(code: $series) {
      id
      code
      name
      observations { points { date value } latest { date value } change }
    }
    legislation: legislationChanges(filter: { start: $since }, first: 17) {
      totalCount
      nodes { id publishedAt type title changeType institution summary }
    }
    calendar: calendarEvents(filter: { importance: [HIGH] }, first: 15) {
      timezone
      nodes { id datetime country event actual forecast previous released }
    }
    crypto: cryptoAssets(first: 30, convert: TRY) {
      nodes { ${ASSET} }
      provenance { asOf stale }
    }
  }`,
};

/** 100 assets with 14 fields each, about 30 kB. */
export const list: Operation = {
  operationName: 'List',
  variables: { first: 100 },
  query: `query List($first: Int) {
    cryptoAssets(first: $first) {
      totalCount
      nodes { ${ASSET} }
    }
  }`,
};

/** Three rates. */
export const small: Operation = {
  operationName: 'Small',
  variables: { first: 3 },
  query: `query Small($first: Int) {
    fxRates(first: $first) { nodes { pair buying selling } }
  }`,
};

/** Returns operations for the same data, each with a new value of a variable that only an excluded field uses. */
export function neverSeen(operation: Operation): (index: number) => Operation {
  const { operationName, variables } = operation;
  const query = operation.query
    .replace('($first: Int) {', '($first: Int, $tag: String!) {')
    .replace(/\}$/, '  none: cryptoAsset(symbol: $tag) @include(if: false) { symbol }\n  }');
  return (index) => ({ query, operationName, variables: { ...variables, tag: `T${index}` } });
}
