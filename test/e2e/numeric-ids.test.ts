import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { change, CHANGES } from './change.ts';

/** Ids and other texts that the upstream sends as numbers are read: without them, whole lists would be lost. */

interface List {
  list: { nodes: { id: string; recordId: string }[] };
}

test.each([
  ['calendarEvents', 'CalendarEvent', '/calendar/events'],
  [`legislationChanges(${CHANGES})`, 'LegislationChange', '/legislation/changes'],
])('ids: %s', async (field, type, path) => {
  const bench = await open();
  change(bench, path, (records) => records.map((record, i) => ({ ...record, id: 100 + i })));
  const { data, extensions } = await bench.ask<List>(
    `{ list: ${field} { nodes { id recordId } } }`,
  );
  expect(extensions.warnings).toBeUndefined();
  const [first] = data?.list.nodes ?? [];
  expect(first?.recordId).toMatch(/^\d+$/);
  const node = `query ($id: ID!) { node(id: $id) { ... on ${type} { recordId } } }`;
  const again = await bench.get(node, { id: first?.id });
  expect(again).toEqual({ node: { recordId: first?.recordId } });
  expect(bench.sandbox.spent().credits).toBe(1);
});

test('the numbers of a law and its articles, and a year as the period of an event', async () => {
  const bench = await open();
  const law = { parentLaw: { name: 'GVK', number: 193 }, affectedArticles: [1, '2/A', null] };
  change(bench, '/legislation/changes', ([first = {}]) => [{ ...first, ...law }]);
  change(bench, '/calendar/events', (all) => all.map((event) => ({ ...event, period: 2026 })));
  const found = await bench.get(`{
    legislationChanges(${CHANGES}) { nodes { parentLaw { number } affectedArticles } }
    calendarEvents(first: 1) { nodes { period } }
  }`);
  expect(found).toEqual({
    legislationChanges: {
      nodes: [{ parentLaw: { number: '193' }, affectedArticles: ['1', '2/A'] }],
    },
    calendarEvents: { nodes: [{ period: '2026' }] },
  });
});
