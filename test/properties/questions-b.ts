import * as fc from 'fast-check';
import { CHANGE_TYPES, LEGISLATION_TYPES } from '../../src/domains/legislation/records.ts';
import {
  args,
  dates,
  isIn,
  listOf,
  optional,
  picked,
  popular,
  type Question,
  upTo,
  EnumValues,
} from './question.ts';

/** Queries for legislation, the calendar and crypto prices. */

const words = (names: readonly string[] | undefined) => names && new EnumValues(names);
const kinds = Object.keys(LEGISLATION_TYPES) as (keyof typeof LEGISLATION_TYPES)[];
const changes = Object.keys(CHANGE_TYPES) as (keyof typeof CHANGE_TYPES)[];
const TOPICS = ['tax', 'banking', 'labour law', 'energy', 'no such topic'];
const CHANGE =
  'publishedAt title institution topics affectedArticles summary effectiveDate gazetteNumber sourceUrl';

const legislation: fc.Arbitrary<Question> = fc
  .record({
    asked: dates({ back: 200, ahead: 5, defaultStart: 0 }),
    types: upTo(fc.constantFrom(...kinds), 2),
    changeTypes: upTo(fc.constantFrom(...changes), 2),
    topics: upTo(popular(TOPICS), 2),
    institution: fc.option(popular(['tbmm', 'bddk', 'nobody']), { nil: undefined, freq: 1 }),
    search: fc.option(popular(['vergi', 'beyan', 'zzz']), { nil: undefined, freq: 1 }),
  })
  .map(({ asked, types, changeTypes, ...filter }) => {
    const enums = { types: words(types), changeTypes: words(changeTypes) };
    const all = { ...asked, ...filter, ...enums };
    return {
      field: `legislationChanges${args({ filter: all, first: 500 })} { totalCount nodes { recordId ${CHANGE} } }`,
      expected(upstream) {
        const { institution, search: q, topics } = filter;
        const rows = upstream('B', '/legislation/changes', { ...asked, institution, q }).filter(
          (row) =>
            isIn(
              row['type'],
              types?.map((type) => LEGISLATION_TYPES[type]),
            ) &&
            isIn(
              row['changeType'],
              changeTypes?.map((type) => CHANGE_TYPES[type]),
            ) &&
            (!topics || topics.some((topic) => (row['topics'] as string[]).includes(topic))),
        );
        const named = rows.map((row) => ({ ...row, recordId: row['id'] }));
        return listOf(named, `recordId ${CHANGE}`);
      },
    };
  });

const EVENT =
  'datetime country currency event indicator period actual forecast previous unit surprise';

const calendar: fc.Arbitrary<Question> = fc
  .record({
    asked: dates({ back: 70, ahead: 70, defaultStart: 0 }),
    countries: upTo(popular(['TR', 'US', 'EU', 'DE', 'XX']), 3),
    importance: upTo(fc.constantFrom('LOW', 'MEDIUM', 'HIGH'), 2),
    currencies: upTo(popular(['TRY', 'USD', 'EUR']), 2),
    indicators: fc.option(upTo(popular(['US_NFP', 'TR_CPI_YOY']), 2), { nil: undefined, freq: 1 }),
    released: optional(fc.boolean()),
  })
  .map(({ asked, importance, ...filter }) => {
    const all = { ...asked, ...filter, importance: words(importance) };
    return {
      field: `calendarEvents${args({ filter: all, first: 500 })} { totalCount nodes { recordId ${EVENT} } }`,
      expected(upstream) {
        const rows = upstream('B', '/calendar/events', asked).filter(
          (row) =>
            isIn(row['country'], filter.countries) &&
            isIn(String(row['importance']).toUpperCase(), importance) &&
            isIn(row['currency'], filter.currencies) &&
            isIn(row['indicator'], filter.indicators) &&
            isIn(
              row['actual'] !== null,
              filter.released === undefined ? undefined : [filter.released],
            ),
        );
        const named = rows.map((row) => ({ ...row, recordId: row['id'] }));
        return listOf(named, `recordId ${EVENT}`);
      },
    };
  });

const convert = popular(['USD', 'TRY', 'EUR']);
const exchange = fc.option(popular(['binance', 'btcturk']), { nil: undefined, freq: 1 });
const ASSET =
  'symbol name rank price priceUsd change1h change24h change7d volume24h marketCap circulatingSupply maxSupply dominance updatedAt';

function assets(symbol: fc.Arbitrary<string>): fc.Arbitrary<Question> {
  return fc.record({ symbols: upTo(symbol, 6), exchange, convert }).map((asked) => {
    const { convert: currency, ...filter } = asked;
    const page = `convert: ${currency}, first: 500`;
    return {
      field: `cryptoAssets(${args({ filter }).slice(1, -1)}, ${page}) { totalCount nodes { ${ASSET} } }`,
      expected(upstream) {
        const query = { symbols: filter.symbols?.join(','), exchange: filter.exchange };
        return listOf(
          upstream('B', '/crypto/prices', { ...query, convert: currency, limit: '500' }),
          ASSET,
        );
      },
    };
  });
}

function asset(symbol: fc.Arbitrary<string>): fc.Arbitrary<Question> {
  return fc.record({ name: symbol, currency: convert, other: convert }).map((asked) => ({
    field: `cryptoAsset(symbol: "${asked.name}", convert: ${asked.currency}) { ${ASSET} priceIn(convert: ${asked.other}) }`,
    expected(upstream) {
      const priced = (currency: string) =>
        upstream('B', '/crypto/prices', { symbols: asked.name, convert: currency })[0];
      const row = priced(asked.currency);
      if (!row) return null;
      return { ...picked([row], ASSET)[0], priceIn: priced(asked.other)?.['price'] };
    },
  }));
}

export function questionsB(symbols: readonly string[]): fc.Arbitrary<Question> {
  const symbol = popular([...symbols, 'NOSUCHCOIN']);
  return fc.oneof(legislation, calendar, assets(symbol), asset(symbol));
}
