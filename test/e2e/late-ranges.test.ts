import { describe, expect, test } from 'vitest';
import { open, timeoutFor } from '../harness.ts';
import { estimateOf } from './estimate.ts';
import {
  CALENDAR,
  isFiltered,
  lastPath,
  LEGISLATION,
  openLate,
  PAUSE_MS,
  slowDown,
} from './late.ts';

/** Ranges whose answer without filters does not come in time: the upstream filters them. */

describe.each([
  ['events', CALENDAR],
  ['changes', LEGISLATION],
])('%s', (_name, { field, range, manyDays, fewDays, filter, others, path }) => {
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
    await cost(`{ ${field(`${fewDays}, ${others[0]}`)} }`);
    clock.advance(PAUSE_MS);
    await cost(`{ ${field(`${fewDays}, ${others[1]}`)} }`);
    expect(isFiltered(lastPath(bench)!)).toBe(false);
    expect(await cost(`{ ${field(`${fewDays}, ${others[2]}`)} }`)).toBe(0);
    sandbox.clearFaults();
    clock.advance(PAUSE_MS);
    expect(await cost(`{ ${field(range)} }`)).toBe(1);
    for (const one of [filter, ...others]) expect(await cost(question(one))).toBe(0);
  });

  test('of somewhat shorter ranges are filtered at once, and those of a part of the range cost nothing', async () => {
    const { cost, clock, sandbox } = await openLate(30);
    await cost(question(filter));
    clock.advance(PAUSE_MS);
    expect(await cost(`{ ${field(`${manyDays}, ${others[0]}`)} }`)).toBe(1);
    const filtered = sandbox.requests().filter((one) => isFiltered(one.path));
    expect(filtered).toHaveLength(2);
    for (const part of [manyDays, fewDays])
      expect(await cost(`{ ${field(`${part}, ${filter}`)} }`)).toBe(0);
  });
});

test('a request that had been widened is not repeated for what is needed if that would be late, too', async () => {
  const { cost, sandbox } = await open({ env: timeoutFor('hang') });
  // From now on, it is known how large the answers are.
  await cost('{ legislationChanges(filter: { search: "vergi" }) { totalCount } }');
  const isAll = (path: string) => !isFiltered(path);
  sandbox.fault({ kind: 'slow', bytesPerSecond: 50_000, group: 'B', path: isAll });
  await cost(`{ ${LEGISLATION.field('start: "2026-02-20", end: "2026-11-10", topics: ["tax"]')} }`);
  const [, first, ...others] = sandbox.requests().map(({ path }) => path);
  expect(first).not.toContain('start=2026-02-20');
  expect(others.map(isFiltered)).toEqual([true]);
});

test('changes that the upstream filters and still cuts short are served with a warning, and not paid for again', async () => {
  const { ask, cost, sandbox } = await openLate();
  sandbox.fault({ kind: 'rewrite', path: isFiltered, rewrite: cut });
  const question = `{ ${LEGISLATION.field(`${LEGISLATION.range}, ${LEGISLATION.filter}`)} }`;
  const { data, extensions } = await ask(question);
  expect(data).toMatchObject({ legislationChanges: { totalCount: 50, nodes: [{}, {}] } });
  expect(extensions.warnings).toMatchObject([{ dataset: 'legislation', count: 48 }]);
  const sent = sandbox.requests().map(({ path }) => isFiltered(path));
  expect(sent.lastIndexOf(false)).toBeLessThan(sent.indexOf(true));
  expect(sent.filter(Boolean)).toHaveLength(1);
  expect(await cost(question)).toBe(0);
});

/** Leaves two records of an answer, and says that there are 50. */
const cut = (body: unknown) => ({
  ...Object(body),
  total: 50,
  data: Object(body).data.slice(0, 2),
});
