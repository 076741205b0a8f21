import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { change } from './change.ts';

/** Paging as time passes: every event still in the list is returned, whatever has dropped out since the last page. */

const HOUR_MS = 3_600_000;

const PAGE = `query ($after: String, $filter: CalendarEventFilter, $orderBy: CalendarEventOrder) {
  calendarEvents(first: 2, after: $after, filter: $filter, orderBy: $orderBy) {
    nodes { id datetime }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Event {
  id: string;
  datetime: string;
}

interface Answer {
  calendarEvents: {
    nodes: Event[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

type Variables = Record<string, unknown>;

/** Reads all events, page by page; `between` is called after the first page. */
async function walk(
  get: <T>(query: string, variables?: object) => Promise<T>,
  variables: Variables = {},
  between = () => {},
): Promise<Event[]> {
  const events: Event[] = [];
  for (let after: string | null = null; ;) {
    const { calendarEvents: page }: Answer = await get<Answer>(PAGE, { ...variables, after });
    events.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return events;
    if (after === null) between();
    after = page.pageInfo.endCursor;
  }
}

const idsOf = (events: readonly Event[]) => events.map(({ id }) => id);

test.each<[order: string, variables: Variables]>([
  ['default order', {}],
  ['time order', { orderBy: { field: 'DATETIME', direction: 'ASC' } }],
])('a list in %s, paged across midnight, skips and repeats nothing', async (_order, asked) => {
  const { get, clock } = await open();
  clock.set('2026-11-27T23:59:58+03:00');
  const toNextDay = () => clock.set('2026-11-28T00:00:00+03:00');
  const all = await walk(get, asked, toNextDay);
  const later = await walk(get, asked);
  const first = all.slice(0, 2);
  expect(later.length).toBeGreaterThan(4);
  // Events of the first page are not returned again; all others still in the list are, once.
  const rest = idsOf(later).filter((id) => !idsOf(first).includes(id));
  expect(idsOf(all.slice(2)).filter((id) => rest.includes(id))).toEqual(rest);
  expect(new Set(idsOf(all)).size).toBe(all.length);
});

test.each<[order: string, variables: Variables]>([
  ['descending order', { orderBy: { field: 'DATETIME', direction: 'DESC' } }],
  ['the default order of an upstream that lists the latest first', {}],
])('a list in %s, paged across midnight, ends with the new day', async (_order, asked) => {
  const bench = await open();
  change(bench, '/calendar/events', (records) => records.toReversed());
  bench.clock.set('2026-11-27T23:59:58+03:00');
  const variables = { ...asked, filter: { end: '2026-12-04' } };
  const lastPage = Math.ceil((await walk(bench.get, variables)).length / 2);
  let page = 0;
  const events = await walk((query, given) => {
    page += 1;
    if (page === lastPage) bench.clock.set('2026-11-28T00:00:00+03:00');
    return bench.get(query, given);
  }, variables);
  expect(page).toBe(lastPage);
  expect(new Set(idsOf(events)).size).toBe(events.length);
});

test('a list of unreleased events continues after those that were released in the meantime', async () => {
  const { get, clock } = await open();
  const filter = { start: '2026-11-20', end: '2026-11-27', released: false };
  clock.set('2026-11-20T00:30:00+03:00');
  const all = await walk(get, { filter }, () => clock.advance(60 * HOUR_MS));
  const later = await walk(get, { filter });
  expect(later.length).toBeGreaterThan(2);
  expect(idsOf(all.slice(2))).toEqual(idsOf(later));
});
