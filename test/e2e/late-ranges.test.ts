import { describe, expect, test } from 'vitest';
import { type Bench, open, timeoutFor } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** Ranges whose answer without filters does not come in time: the upstream filters them. */

const calendar = (filter: string, page = '') =>
  `calendarEvents(filter: { ${filter} }${page}) { totalCount nodes { recordId } pageInfo { endCursor } }`;
const legislation = (filter: string, page = '') =>
  `legislationChanges(filter: { ${filter} }${page}) { totalCount nodes { recordId } pageInfo { endCursor } }`;

const CALENDAR = {
  field: calendar,
  range: 'start: "2026-10-21", end: "2026-12-20"',
  week: 'start: "2026-11-20", end: "2026-11-27"',
  filter: 'countries: ["TR"]',
  others: ['countries: ["US", "DE"]', 'importance: [HIGH]', 'currencies: ["EUR"], released: true'],
  path: '/calendar/events?start=2026-10-21&end=2026-12-20&countries=TR',
};
const LEGISLATION = {
  field: legislation,
  range: 'start: "2026-08-22", end: "2026-11-20"',
  week: 'start: "2026-11-13", end: "2026-11-20"',
  filter: 'topics: ["tax"]',
  others: ['types: [LAW]', 'types: [LAW], topics: ["tax"]', 'topics: ["zoning"]'],
  path: '/legislation/changes?start=2026-08-22&end=2026-11-20&topic=tax',
};

/** Whether a request lets the upstream filter. */
const isFiltered = (path: string) => /[?&](countries|importance|currency|type|topic)=/.test(path);

/** Makes answers without filters arrive too slowly, if they are about at least as many days. */
function slowDown({ sandbox }: Bench, days = 0): void {
  const isLate = (path: string) => {
    const { start, end } = Object.fromEntries(new URL(path, 'http://upstream').searchParams);
    return !isFiltered(path) && (Date.parse(end!) - Date.parse(start!)) / 86_400_000 >= days;
  };
  sandbox.fault({ kind: 'slow', bytesPerSecond: 8000, group: 'B', path: isLate });
}

/** The pause after a failure is over by then. */
const PAUSE_MS = 60_000;

const openLate = async (days?: number) => {
  const bench = await open({ env: timeoutFor('hang') });
  slowDown(bench, days);
  return bench;
};

const lastPath = ({ sandbox }: Bench) => sandbox.requests().at(-1)?.path;

describe.each([
  ['events', CALENDAR],
  ['changes', LEGISLATION],
])('%s', (_name, { field, range, week, filter, others, path }) => {
  const question = (filters: string, page?: string) => `{ ${field(`${range}, ${filters}`, page)} }`;

  test('are filtered by the upstream if all of the range do not come in time; then at once', async () => {
    const bench = await openLate();
    const { cost, sandbox } = bench;
    await cost(question(filter));
    expect(lastPath(bench)).toBe(path);
    expect(await cost(question(filter))).toBe(0);
    const fields = [filter, ...others].map((one, i) => `a${i}: ${field(`${range}, ${one}`)}`);
    const all = `{ ${fields.join(' ')} }`;
    const { least, most } = await estimateOf(bench, all);
    expect([least.credits, most.credits]).toEqual([others.length, others.length]);
    expect(await cost(all)).toBe(others.length);
    for (const one of [filter, ...others]) expect(await cost(question(one))).toBe(0);
    const filtered = sandbox.requests().filter((one) => isFiltered(one.path));
    expect(filtered).toHaveLength(1 + others.length);
  });

  test('that the upstream has filtered are those that the gateway would have found', async () => {
    const bench = await open({ env: timeoutFor('hang') });
    const known = await bench.another();
    const expected = [];
    for (const one of [filter, ...others]) expected.push(await known.get(question(one)));
    slowDown(bench);
    const found = [];
    for (const one of [filter, ...others]) found.push(await bench.get(question(one)));
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).toMatch(/"totalCount":[1-9]/);
  });

  test('come in pages, whose cursors hold once all of the range come in time again', async () => {
    const bench = await openLate();
    type Page = Record<string, { nodes: object[]; pageInfo: { endCursor: string } }>;
    const pageOf = (data: Page) => Object.values(data)[0]!;
    const all = pageOf(await bench.get<Page>(question(filter)));
    const first = pageOf(await bench.get<Page>(question(filter, ', first: 3')));
    bench.sandbox.clearFaults();
    bench.clock.advance(PAUSE_MS);
    await bench.get(`{ ${field(range)} }`);
    const after = `, first: 3, after: "${first.pageInfo.endCursor}"`;
    const second = pageOf(await bench.get<Page>(question(filter, after)));
    expect([...first.nodes, ...second.nodes]).toEqual(all.nodes.slice(0, 6));
  });

  test('of shorter ranges, and those without filters, are still requested all together', async () => {
    const bench = await openLate(30);
    const { cost, clock, sandbox } = bench;
    await cost(question(filter));
    // Filtered by the upstream, since nothing else is requested during the pause.
    await cost(`{ ${field(`${week}, ${others[0]}`)} }`);
    clock.advance(PAUSE_MS);
    await cost(`{ ${field(`${week}, ${others[1]}`)} }`);
    expect(isFiltered(lastPath(bench)!)).toBe(false);
    expect(await cost(`{ ${field(`${week}, ${others[2]}`)} }`)).toBe(0);
    sandbox.clearFaults();
    clock.advance(PAUSE_MS);
    expect(await cost(`{ ${field(range)} }`)).toBe(1);
    for (const one of [filter, ...others]) expect(await cost(question(one))).toBe(0);
  });
});

const TURKISH = `{ ${calendar(`${CALENDAR.range}, countries: ["TR"]`)} }`;
const HIGH = `{ ${calendar(`${CALENDAR.range}, importance: [HIGH]`)} }`;

test('old events of a late range are served if the upstream fails', async () => {
  const { ask, cost, clock, sandbox } = await openLate();
  const question = (filter: string) =>
    `{ calendarEvents(filter: { start: "2026-11-20", end: "2027-01-10"${filter} }) { totalCount provenance { stale } } }`;
  await cost(question(', countries: ["TR"]'));
  sandbox.clearFaults();
  clock.advance(PAUSE_MS);
  await cost(question(''));
  clock.advance(600_000);
  sandbox.fault({ kind: 'status', status: 503 });
  const { data, errors } = await ask(question(', importance: [HIGH]'));
  expect(errors).toEqual([]);
  expect(data).toMatchObject({ calendarEvents: { provenance: { stale: true } } });
});

test('events of a late range are requested all together again after an hour', async () => {
  const bench = await openLate();
  const { cost, clock, sandbox } = bench;
  await cost(TURKISH);
  sandbox.clearFaults();
  clock.advance(3_600_000);
  expect(await cost(TURKISH)).toBe(1);
  expect(isFiltered(lastPath(bench)!)).toBe(false);
  expect(await cost(HIGH)).toBe(0);
});

test('events are not filtered by the upstream in an outage, and not after it', async () => {
  const bench = await open({ env: timeoutFor('hang') });
  const { ask, cost, clock, sandbox } = bench;
  sandbox.fault({ kind: 'hang' });
  const { errors } = await ask(TURKISH);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  sandbox.clearFaults();
  clock.advance(PAUSE_MS);
  expect(await cost(TURKISH)).toBe(1);
  expect(sandbox.requests().filter(({ path }) => isFiltered(path))).toEqual([]);
});
