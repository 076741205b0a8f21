import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { upstreamAnswer, type UpstreamRecord } from '../upstream.ts';
import { change, CHANGES } from './change.ts';
import { LONE_SURROGATE, ODD_RECORDS } from './odd-record-cases.ts';

/** An unexpected value loses at most its record, never the whole answer that was paid for. */

interface List {
  list: { nodes: ({ id: string } & Record<string, string>)[] };
}

const changeFirst = (bench: Bench, path: string, edit: (record: UpstreamRecord) => object) =>
  change(bench, path, ([first = {}, ...others]) => [{ ...first, ...edit(first) }, ...others]);

describe('an id of any text', () => {
  test.each(ODD_RECORDS)(
    'is served, cached and paid for: %s',
    async (path, field, list, type, edit) => {
      const bench = await open();
      changeFirst(bench, path, edit);
      const query = `{ list: ${list} { nodes { id ${field} } } }`;
      const { list: found } = await bench.get<List>(query);
      const { id = '' } = found.nodes.find((node) => node[field] === LONE_SURROGATE) ?? {};
      expect(id).toMatch(/^\w+:.*odd%20%EF%BF%BD/i);
      expect(await bench.cost(`{ list: ${list} { totalCount } }`)).toBe(0);
      if (type === 'CryptoAsset') return;
      const again = `query ($id: ID!) { node(id: $id) { id ... on ${type} { ${field} } } }`;
      expect(await bench.get(again, { id })).toEqual({ node: { id, [field]: LONE_SURROGATE } });
    },
  );

  test('of a ticker can be requested in another currency, too', async () => {
    const bench = await open();
    changeFirst(bench, '/crypto/prices', () => ({ symbol: LONE_SURROGATE, priceUsd: null }));
    const { errors } = await bench.ask(
      '{ cryptoAssets(first: 1) { nodes { price priceIn(convert: TRY) } } }',
    );
    expect(errors).toEqual([]);
  });

  test.each(['TP/A?b=c#d', 'TP DK', 'TP:DK', 'TP%2F', 'Döviz'])(
    'of a series leads back to it: %s',
    async (code) => {
      const bench = await open();
      change(bench, '/v1/macro/catalog', () => [{ code, name: 'odd' }]);
      const { list } = await bench.get<List>('{ list: macroCatalog { nodes { id } } }');
      const node = await bench.get(
        'query ($id: ID!) { node(id: $id) { ... on MacroSeries { code name } } }',
        { id: list.nodes[0]?.id },
      );
      expect(node).toEqual({ node: { code, name: 'odd' } });
    },
  );

  test('of dots alone is refused', async () => {
    const { ask, sandbox } = await open();
    const { errors } = await ask('{ node(id: "MacroSeries:..") { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(sandbox.requests()).toEqual([]);
  });
});

describe('a date or time', () => {
  test('of the first day of 1970 is served', async () => {
    const bench = await open();
    changeFirst(bench, '/legislation/changes', () => ({ effectiveDate: '1970-01-01' }));
    const { list } = await bench.get<List>(
      `{ list: legislationChanges(${CHANGES}) { nodes { id effectiveDate } } }`,
    );
    expect(list.nodes.map((node) => node['effectiveDate'])).toContain('1970-01-01');
  });

  test('with more digits than any clock measures is read', async () => {
    const bench = await open();
    const datetime = '2026-11-20T10:00:00.12345678901';
    changeFirst(bench, '/calendar/events', () => ({ datetime }));
    const { list } = await bench.get<List>('{ list: calendarEvents { nodes { id datetime } } }');
    expect(list.nodes.map((node) => node['datetime'])).toContain(`${datetime}+03:00`);
  });

  test('of 24:00:00 is invalid: its event is left out, and a field of an asset is null', async () => {
    const bench = await open();
    changeFirst(bench, '/calendar/events', () => ({ datetime: '2026-11-20T24:00:00+03:00' }));
    changeFirst(bench, '/crypto/prices', () => ({ updatedAt: '2026-11-20T24:00:00Z' }));
    const { data, errors, extensions } = await bench.ask(
      '{ calendarEvents { totalCount } cryptoAssets(first: 1) { nodes { updatedAt } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ cryptoAssets: { nodes: [{ updatedAt: null }] } });
    expect(extensions.warnings).toMatchObject([{ dataset: 'calendar', count: 1 }]);
  });
});

test('two spellings of an exchange are one asset, for one credit', async () => {
  const { get, sandbox } = await open();
  const asset = (exchange: string) =>
    `cryptoAssets(first: 1, filter: { exchange: "${exchange}" }) { nodes { id price } }`;
  const { a, b } = await get<{ a: unknown; b: unknown }>(
    `{ a: ${asset('kraken')} b: ${asset(' Kraken ')} }`,
  );
  expect(a).toEqual(b);
  expect(sandbox.spent().credits).toBe(1);
  expect(sandbox.requests()[0]?.path).toContain('exchange=kraken');
});

test('lowercase codes of an event are turned into uppercase', async () => {
  const bench = await open();
  const datetime = '2026-11-20T10:00:00+03:00';
  const odd = { id: 'odd', datetime, country: 'tr', currency: 'try' };
  changeFirst(bench, '/calendar/events', () => odd);
  const { list } = await bench.get<List>(
    '{ list: calendarEvents(filter: { countries: ["TR"] }) { nodes { id recordId country currency } } }',
  );
  const found = list.nodes.find(({ recordId }) => recordId === 'odd');
  expect(found).toMatchObject({ country: 'TR', currency: 'TRY' });
});

describe('an odd value in an optional field is null, and nothing else is lost', () => {
  const ASSET = '{ cryptoAsset(symbol: "BTC") { symbol rank marketCap price } }';

  test('of an asset, which is not requested again', async () => {
    const bench = await open();
    changeFirst(bench, '/crypto/prices', () => ({ marketCap: '12345', rank: 'first' }));
    const { cryptoAsset } = await bench.get<{ cryptoAsset: object }>(ASSET);
    expect(cryptoAsset).toMatchObject({ symbol: 'BTC', rank: null, marketCap: null });
    expect(bench.sandbox.spent().credits).toBe(1);
  });

  test('of an event', async () => {
    const bench = await open();
    const datetime = '2026-11-20T10:00:00+03:00';
    changeFirst(bench, '/calendar/events', () => ({
      id: 'odd',
      datetime,
      forecast: '2.5',
      unit: 5,
    }));
    const { data, extensions } = await bench.ask<{ list: { nodes: { recordId: string }[] } }>(
      '{ list: calendarEvents { nodes { recordId forecast unit } } }',
    );
    const odd = data?.list.nodes.find(({ recordId }) => recordId === 'odd');
    expect(odd).toEqual({ recordId: 'odd', forecast: null, unit: null });
    expect(extensions.warnings).toBeUndefined();
  });

  test('of a legislation change, and only changes that can be shown are counted', async () => {
    const bench = await open();
    const path = '/legislation/changes';
    const rewrite = (body: unknown, asked: string) => {
      const [first = {}, second = {}, third = {}] = upstreamAnswer(bench.sandbox, 'B', asked).data;
      const law = { parentLaw: { name: 'GVK', number: 193 }, topics: 'vergi', diff: 5 };
      const last = { ...third, parentLaw: { name: 'TTK', number: ' – ' } };
      const data = [{ ...first, ...law, id: 'odd' }, { ...second, publishedAt: 'never' }, last];
      return Object.assign({}, body, { data, total: data.length });
    };
    bench.sandbox.fault({ kind: 'rewrite', path, rewrite });
    const odd = {
      recordId: 'odd',
      parentLaw: { name: 'GVK', number: '193' },
      topics: [],
      diff: null,
    };
    const { list } = await bench.get<{ list: { totalCount: number; nodes: object[] } }>(
      '{ list: legislationChanges { totalCount nodes { recordId topics parentLaw { name number } diff { before } } } }',
    );
    expect(list.nodes).toContainEqual(odd);
    expect(list.nodes).toMatchObject([{}, { parentLaw: { name: 'TTK', number: null } }]);
    expect(list.totalCount).toBe(list.nodes.length);
  });
});
