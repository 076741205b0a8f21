import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import type { UpstreamRecord } from '../upstream.ts';
import { change, CHANGES } from './change.ts';

/** A record that occurs twice in an answer counts once; if the two differ, the last one counts. */

interface List {
  list: { totalCount: number; nodes: Record<string, unknown>[] };
}

type Case = [path: string, list: string, field: string];

const LISTS: Case[] = [
  ['/v1/fx/rates', 'fxRates(first: 500)', 'buying'],
  ['/v1/macro/catalog', 'macroCatalog(first: 500)', 'name'],
  ['/legislation/changes', `legislationChanges(first: 500, ${CHANGES})`, 'title'],
  ['/calendar/events', 'calendarEvents(first: 500)', 'event'],
  ['/crypto/prices', 'cryptoAssets(first: 500)', 'price'],
];

const other = (value: unknown) => (typeof value === 'number' ? value + 1 : `${String(value)}, too`);

test.each(LISTS)('%s', async (path, list, field) => {
  const query = `{ list: ${list} { totalCount nodes { id ${field} } } }`;
  const changed = (record: UpstreamRecord) => ({ ...record, [field]: other(record[field]) });
  const once = await (await open()).get<List>(query);
  const bench = await open();
  change(bench, path, (records) => [...records, ...records.map(changed)]);
  const expected = { ...once.list, nodes: once.list.nodes.map(changed) };
  expect(await bench.get<List>(query)).toEqual({ list: expected });
});

test('a day of a history has one value', async () => {
  const query = '{ fxRate(pair: "USDTRY") { history { points { date value } } } }';
  const bench = await open();
  change(bench, '/v1/fx/rates/USDTRY/history', (points) =>
    points.flatMap((point) => [{ ...point, value: 1 }, point]),
  );
  expect(await bench.get(query)).toEqual(await (await open()).get(query));
});
