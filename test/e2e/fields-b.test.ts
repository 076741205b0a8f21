import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import {
  lastAnswer,
  type List,
  pick,
  PROVENANCE,
  provenanceOf,
  upstreamAnswer,
} from '../upstream.ts';

/** Every value of Group B is the upstream's own, in the upstream's order; a value that is absent upstream is null. */

const upper = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : null);

describe('field by field', () => {
  const TYPES = {
    kanun: 'LAW',
    yonetmelik: 'REGULATION',
    teblig: 'COMMUNIQUE',
    genelge: 'CIRCULAR',
  };
  const CHANGES = { ekleme: 'ADDITION', degisiklik: 'AMENDMENT', 'yururlukten-kaldirma': 'REPEAL' };
  const named = (names: Record<string, string>, word: unknown) => names[String(word)] ?? 'OTHER';

  test('legislation changes are those of the upstream', async () => {
    const bench = await open();
    const { list } = await bench.get<List>(`{
      list: legislationChanges(first: 500, filter: { start: "2026-07-01", end: "2026-11-20" }) {
        totalCount ${PROVENANCE}
        nodes { recordId publishedAt effectiveDate type typeCode title parentLaw { name number }
          institution topics changeType changeTypeCode affectedArticles summary
          diff { before after } gazetteNumber sourceUrl } } }`);
    const { data } = upstreamAnswer(
      bench.sandbox,
      'B',
      '/legislation/changes?start=2026-07-01&end=2026-11-20',
    );
    const same = `publishedAt effectiveDate title institution topics affectedArticles summary
      diff gazetteNumber sourceUrl`;
    const expected = data.map((record) => ({
      ...pick(record, same),
      recordId: record['id'],
      type: named(TYPES, record['type']),
      typeCode: record['type'],
      changeType: named(CHANGES, record['changeType']),
      changeTypeCode: record['changeType'],
      parentLaw: JSON.parse(JSON.stringify(record['parentLaw']).replace('"-"', 'null')) as unknown,
    }));
    expect(data.length).toBeGreaterThan(200);
    expect(JSON.stringify(data)).toContain('"number":"-"');
    expect(list.nodes).toEqual(expected);
    expect(list.totalCount).toBe(data.length);
    expect(list.provenance).toEqual(provenanceOf({ source: 'legislation' }));
  });

  test('calendar events are those of the upstream', async () => {
    const bench = await open();
    const { list } = await bench.get<{ list: List['list'] & { timezone: string } }>(`{
      list: calendarEvents(first: 500, filter: { start: "2026-11-01", end: "2026-12-10" }) {
        totalCount timezone ${PROVENANCE}
        nodes { recordId datetime country currency event indicator importance period actual
          forecast previous unit surprise impact released } } }`);
    const path = '/calendar/events?start=2026-11-01&end=2026-12-10';
    const { data } = upstreamAnswer(bench.sandbox, 'B', path);
    const same = `datetime country currency event indicator period actual forecast previous unit
      surprise`;
    const expected = data.map((record) => ({
      ...pick(record, same),
      recordId: record['id'],
      importance: upper(record['importance']),
      impact: upper(record['impact']),
      released: record['actual'] !== null,
    }));
    expect(new Set(expected.map(({ released }) => released))).toEqual(new Set([true, false]));
    expect(list).toEqual({
      nodes: expected,
      totalCount: data.length,
      timezone: 'Europe/Istanbul',
      provenance: provenanceOf({ source: 'calendar' }),
    });
  });

  test.each([
    '',
    'convert: TRY',
    'convert: EUR, filter: { exchange: "kraken", interval: ONE_DAY }',
  ])('crypto prices are those of the upstream (%s)', async (args) => {
    const bench = await open();
    const same = `symbol name rank price priceUsd change1h change24h change7d volume24h marketCap
        circulatingSupply maxSupply dominance updatedAt`;
    const { list } = await bench.get<List>(
      `{ list: cryptoAssets(first: 500, ${args}) {
          totalCount convert timestamp ${PROVENANCE} nodes { convert ${same} } } }`,
    );
    const { data, convert, timestamp } = lastAnswer(bench.sandbox);
    const expected = data.map((record) => ({ ...pick(record, same), convert }));
    for (const field of 'change1h change7d circulatingSupply maxSupply dominance'.split(' '))
      expect(data.some((record) => !(field in record))).toBe(true);
    expect(list).toEqual({
      nodes: expected,
      totalCount: 500,
      convert,
      timestamp,
      provenance: provenanceOf({ source: 'crypto', asOf: timestamp }),
    });
  });

  test('prices in another currency are those of the upstream in that currency', async () => {
    const bench = await open();
    const { list } = await bench.get<List>(
      '{ list: cryptoAssets(convert: EUR) { nodes { symbol priceIn(convert: TRY) } } }',
    );
    const { data } = upstreamAnswer(bench.sandbox, 'B', '/crypto/prices?convert=TRY');
    expect(list.nodes).toEqual(data.map(({ symbol, price }) => ({ symbol, priceIn: price })));
  });

  test('the rates of an event are those of its currency', async () => {
    const bench = await open();
    const { list } = await bench.get<List>(
      '{ list: calendarEvents { nodes { currency fxRates { pair } inLira: fxRates(quote: "try") { pair } } } }',
    );
    const { data } = upstreamAnswer(bench.sandbox, 'A', '/v1/fx/rates');
    const all = data.map(({ pair }) => String(pair));
    const rates = (wanted: (pair: string) => boolean) =>
      all.filter(wanted).map((pair) => ({ pair }));
    const events = upstreamAnswer(bench.sandbox, 'B', '/calendar/events').data;
    const expected = events.map(({ currency }) => ({
      currency,
      fxRates: rates((pair) => pair.includes(String(currency))),
      inLira: rates((pair) => pair.endsWith('TRY') && pair.includes(String(currency))),
    }));
    expect(expected.some(({ inLira }) => inLira.length === 1)).toBe(true);
    expect(list.nodes).toEqual(expected);
  });
});
