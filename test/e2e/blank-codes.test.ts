import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { change } from './change.ts';

/** Codes of the upstream with spaces around them, or nothing in them. */

test('a blank currency is none, and spaces around codes do not matter', async () => {
  const bench = await open();
  const datetime = '2026-11-20T10:00:00+03:00';
  const event = { datetime, event: 'odd', country: ' tr' };
  change(bench, '/calendar/events', () => [
    { ...event, id: 'blank', currency: '' },
    { ...event, id: 'spaces', currency: 'try ' },
  ]);
  const days = 'start: "2026-11-20", end: "2026-11-20"';
  const { all, lira } = await bench.get<Record<'all' | 'lira', { nodes: object[] }>>(
    `{ all: calendarEvents(filter: { ${days} }) { nodes { recordId country currency } }
       lira: calendarEvents(filter: { ${days}, countries: ["TR"], currencies: ["TRY"] }) { nodes { recordId } } }`,
  );
  expect(all.nodes).toEqual([
    { recordId: 'blank', country: 'TR', currency: null },
    { recordId: 'spaces', country: 'TR', currency: 'TRY' },
  ]);
  expect(lira.nodes).toEqual([{ recordId: 'spaces' }]);
});
