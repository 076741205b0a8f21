import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';

/** Upstream answers that are cut short. */

const DAY = '2026-11-10';
/** Answers are stored shortly after they are served. */
const STORED_AFTER_MS = 300;

const changes = (start: string, end: string) =>
  `legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount }`;

/** Cuts short every answer whose range includes the day, and leaves two records in the others. */
function cutAround(body: unknown, path: string): unknown {
  const { start, end } = Object.fromEntries(new URL(path, 'http://upstream').searchParams);
  const { data, ...rest } = Object(body);
  const isCut = `${start}` <= DAY && DAY <= `${end}`;
  return isCut
    ? { ...rest, total: 50, data: data.slice(0, 1) }
    : { ...rest, total: 2, data: data.slice(0, 2) };
}

test('days on both sides of a day whose answer is known to be cut short take three requests at most', async () => {
  const { ask, get, cost, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: cutAround });
  await ask(`{ ${changes(DAY, DAY)} }`);
  await cost(`{ ${changes('2026-08-01', '2026-08-30')} }`);
  const before = sandbox.requests().length;
  const both = `{ a: ${changes('2026-11-06', '2026-11-07')} b: ${changes('2026-11-12', '2026-11-13')} }`;
  expect(await get(both)).toEqual({ a: { totalCount: 2 }, b: { totalCount: 2 } });
  // One for the whole range, which is cut short, and then one for each side.
  expect(sandbox.requests().length - before).toBe(3);
});

test('after one answer was cut short, requests are widened only as far as they are not', async () => {
  const { ask, cost, sandbox } = await open();
  const MOST = 20;
  const rewrite = (body: unknown) => {
    const { data, ...rest } = Object(body);
    return { ...rest, total: data.length, data: data.slice(0, MOST) };
  };
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  const { extensions } = await ask(`{ ${changes('2026-03-01', '2026-11-20')} }`);
  expect(extensions.warnings).toMatchObject([{ dataset: 'legislation' }]);
  // Three days that fit in one answer, months apart: one credit each.
  for (const month of ['08', '06', '04', '02'])
    expect(await cost(`{ ${changes(`2026-${month}-10`, `2026-${month}-12`)} }`)).toBe(1);
});

test('of two ranges whose answers are cut short, neither is requested again while they are fresh', async () => {
  const { get, cost } = await open({ legislationPageSize: 5 });
  const ranges = [
    ['2026-08-01', '2026-08-31'],
    ['2026-10-01', '2026-10-31'],
  ] as const;
  for (const [start, end] of ranges) await get(`{ ${changes(start, end)} }`);
  for (const [start, end] of ranges)
    expect(await cost(`{ again: ${changes(start, end)} }`)).toBe(0);
});

test('of two types whose answers are cut short, neither is requested again while it is fresh', async () => {
  const { cost, clock } = await open({ legislationPageSize: 5 });
  const ofType = (type: string, range: string) =>
    `{ legislationChanges(filter: { ${range} types: [${type}] }) { totalCount } }`;
  const [august, october] = [
    'start: "2026-08-01" end: "2026-08-31"',
    'start: "2026-10-01" end: "2026-10-31"',
  ];
  await cost(ofType('LAW', august));
  clock.advance(600_000);
  await cost(ofType('CIRCULAR', august));
  await cost(ofType('LAW', october));
  clock.advance(400_000);
  expect(await cost(`${ofType('CIRCULAR', august)} # again`)).toBe(0);
});

test('a cut answer to exactly what is asked for is not requested twice', async () => {
  const { cost, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: cutAround });
  expect(await cost(`{ ${changes(DAY, DAY)} }`)).toBe(1);
});

test('once a range is answered in full again, ranges that contain it share a request', async () => {
  const { ask, cost, clock, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: cutAround });
  await ask(`{ ${changes(DAY, DAY)} }`);
  sandbox.clearFaults();
  clock.advance(900_000);
  expect(await cost(`{ ${changes(DAY, DAY)} }`)).toBe(1);
  const both = `{ a: ${changes('2026-11-09', DAY)} b: ${changes('2026-11-08', DAY)} }`;
  expect(await cost(both)).toBe(1);
});

test('a day after an answer was cut short, ranges that contain its days share a request again', async () => {
  const { ask, cost, clock, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: cutAround });
  await ask(`{ ${changes(DAY, DAY)} }`);
  sandbox.clearFaults();
  clock.advance(86_400_000);
  const both = `{ a: ${changes('2026-11-09', DAY)} b: ${changes('2026-11-08', DAY)} }`;
  expect(await cost(both)).toBe(1);
});

test.each([
  ['types: [LAW]', ['kanun', 'kanun'], 5000],
  ['types: [LAW]', ['kanun', 'teblig'], 1],
  ['types: [LAW, REGULATION]', ['kanun', 'kanun'], 2],
  ['types: [OTHER]', ['tuzuk', 'tuzuk'], 2],
  ['topics: ["tax", "zoning"]', ['kanun', 'kanun'], 2],
  ['changeTypes: [ADDITION]', ['kanun', 'kanun'], 2],
])(
  'the total of a cut answer counts only if it is of what is asked for: %s of %j',
  async (filter, types, count) => {
    const { ask, sandbox } = await open();
    const rewrite = (body: unknown) => {
      const { data, ...rest } = Object(body);
      const about = { topics: ['tax'], changeType: 'ekleme' };
      const records = types.map((type, i) => ({ ...data[i], ...about, type }));
      return { ...rest, total: 5000, data: records };
    };
    sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
    const query = `{ legislationChanges(filter: { ${filter} }) { totalCount } }`;
    const { data, extensions } = await ask(query);
    expect(data).toEqual({ legislationChanges: { totalCount: count } });
    expect(extensions.warnings).toMatchObject([{ count: 5000 - types.length }]);
  },
);

test('a day after an answer without a start was cut short, one answer serves all types again', async () => {
  const { ask, cost, clock, sandbox } = await open();
  const ofType = (type: string) =>
    `{ legislationChanges(filter: { types: [${type}] }) { totalCount } }`;
  const rewrite = (body: unknown) => Object.assign({}, body, { total: 5000 });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  await ask(ofType('LAW'));
  sandbox.clearFaults();
  clock.advance(86_400_000);
  expect([await cost(ofType('LAW')), await cost(ofType('REGULATION'))]).toEqual([1, 0]);
});

describe.each([
  ['any type', ''],
  ['one type', ', types: [LAW]'],
])('changes of %s whose answer is cut short', (_what, types) => {
  const question = `{ legislationChanges(filter: { start: "2026-10-15"${types} }) {
    totalCount nodes { recordId } provenance { stale } } }`;

  test.each([
    ['its time to live', 900],
    ['midnight', 86_400],
  ])('are served stale after %s if the upstream is down', async (_when, seconds) => {
    const { ask, clock, sandbox } = await open({ legislationPageSize: 5 });
    const before = await ask(question);
    clock.advance(seconds * 1000);
    sandbox.fault({ kind: 'status', status: 503 });
    const { data, errors, extensions } = await ask(question);
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toBe(JSON.stringify(before.data).replace('false', 'true'));
    expect(extensions.warnings).toEqual(before.extensions.warnings);
  });
});

test('a month of answers that are cut short does not cost a credit for each type and midnight', async () => {
  const env = { CREDITS_MONTHLY_LIMIT: '75' };
  const { ask, clock, sandbox } = await open({ env, legislationPageSize: 5 });
  clock.set('2026-12-01T00:10:00+03:00');
  for (let hour = 0; hour < 31 * 24 - 1; hour += 1) {
    const type = ['LAW', 'REGULATION', 'COMMUNIQUE'][hour % 3];
    const { errors, extensions } = await ask(
      `{ legislationChanges(filter: { start: "2026-10-15", types: [${type}] }) { totalCount } }`,
    );
    expect([errors, extensions.usage.upstream.stale]).toEqual([[], 0]);
    clock.advance(3_600_000);
  }
  expect(sandbox.spent().credits).toBeLessThanOrEqual(75);
});

test('after a restart in an outage, an answer that was cut short is served stale even if many came later', async () => {
  const { another, clock, sandbox } = await open({ legislationPageSize: 5 });
  const env = { DATA_DIR: temporaryFolder() };
  const first = await another(env);
  const question = `{ legislationChanges(filter: { start: "2026-11-01" }) { totalCount provenance { stale } } }`;
  const before = await first.ask(question);
  // More than a start reads.
  for (let n = 0; n < 220; n += 20) {
    const searches = Array.from({ length: 20 }, (_, i) => `search: "s${n + i}"`);
    const fields = searches.map(
      (filter, i) => `a${i}: legislationChanges(filter: { ${filter} }) { totalCount }`,
    );
    await first.ask(`{ ${fields.join(' ')} }`);
  }
  await setTimeout(STORED_AFTER_MS);
  clock.advance(900_000);
  const { ask } = await another(env);
  sandbox.fault({ kind: 'status', status: 503 });
  const { data, errors } = await ask(question);
  expect(errors).toEqual([]);
  expect(JSON.stringify(data)).toBe(JSON.stringify(before.data).replace('false', 'true'));
});
