import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { upstreamAnswer } from '../upstream.ts';

/** Answers that must not count for more than they cover, and queries that could harm other clients. */

interface Total {
  list: { totalCount: number };
}

test('legislation up to a day says nothing about the days after it', async () => {
  const { get, sandbox } = await open();
  await get('{ legislationChanges(filter: { end: "2026-09-01" }) { totalCount } }');
  const later = await get<Total>(
    '{ list: legislationChanges(filter: { start: "2026-10-01", end: "2026-11-20" }) { totalCount } }',
  );
  const path = '/legislation/changes?start=2026-10-01&end=2026-11-20';
  expect(later.list.totalCount).toBe(upstreamAnswer(sandbox, 'B', path).data.length);
});

test('an object that does not exist is null, even if only its type is asked for', async () => {
  const { get } = await open();
  const data = await get(
    '{ fxRate(pair: "ZZZZZZ") { __typename } macroSeries(code: "NO.SUCH") { __typename } }',
  );
  expect(data).toEqual({ fxRate: null, macroSeries: null });
});

test('fragments that spread others twice are visited once each: otherwise this would never end', async () => {
  const { get } = await open();
  const fragments = Array.from(
    { length: 40 },
    (_, i) => `fragment F${i} on FxRate { ...F${i + 1} ... { ...F${i + 1} } }`,
  );
  const data = await get(
    `{ fxRate(pair: "USDTRY") { ...F0 } } ${fragments.join(' ')} fragment F40 on FxRate { id }`,
  );
  expect(data).toEqual({ fxRate: { id: 'FxRate:USDTRY' } });
});

test('a query for an odd period does not widen the requests of others', async () => {
  const { get, sandbox } = await open();
  const odd = 'history(start: "0001-01-01", end: "0090-01-01") { change }';
  await get(`{ fxRate(pair: "EURTRY") { ${odd} } }`);
  await get('{ fxRate(pair: "USDTRY") { history { change } } }');
  const start = /start=(\d+)/.exec(sandbox.requests().at(-1)?.path ?? '')?.[1];
  expect(Number(start)).toBeGreaterThan(2010);
});

test('a cursor of a node that has left the list skips nothing', async () => {
  const { get, sandbox, clock } = await open();
  const query = `query ($after: String) {
    list: fxRates(first: 2, after: $after) { nodes { pair } pageInfo { endCursor } }
  }`;
  interface Page {
    list: { nodes: { pair: string }[]; pageInfo: { endCursor: string } };
  }
  const { list } = await get<Page>(query);
  const [, gone] = list.nodes;
  const all = upstreamAnswer(sandbox, 'A', '/v1/fx/rates').data.map(({ pair }) => pair);
  clock.advance(60_000);
  sandbox.fault({
    kind: 'rewrite',
    path: '/v1/fx/rates',
    rewrite: (body) => {
      const data = upstreamAnswer(sandbox, 'A', '/v1/fx/rates').data;
      return Object.assign({}, body, { data: data.filter(({ pair }) => pair !== gone?.pair) });
    },
  });
  const next = await get<Page>(query, { after: list.pageInfo.endCursor });
  expect(next.list.nodes.map(({ pair }) => pair)).toEqual(all.slice(2, 4));
});

test('an operation that joins a request is not refused with the one that started it', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1', OPERATION_TIMEOUT_MS: '1500' };
  const { ask, sandbox, clock } = await open({ env });
  // The rate's history is a request to the other group: it shows that the operation has begun to wait.
  const query = (i: number, pair: string) =>
    `{ legislationChanges(filter: { search: "vergi${i}" }) { totalCount }
       fxRate(pair: "${pair}") { history { change } } }`;
  const histories = () => sandbox.requests().filter(({ path }) => path.includes('/history'));
  const first: ReturnType<typeof ask>[] = [];
  // One after the other: those sent together may arrive in any order.
  for (const [i, pair] of ['USDTRY', 'EURTRY', 'GBPTRY'].entries()) {
    first.push(ask(query(i, pair)));
    await expect.poll(histories).toHaveLength(i + 1);
  }
  clock.advance(700);
  const joined = ask(query(2, 'CHFTRY'));
  await expect.poll(histories).toHaveLength(4);
  // The second turn comes; the third is too late for the operation that has waited from the start.
  clock.advance(350);
  const failures = (await Promise.all(first)).map(({ errors }) => errors[0]);
  const late = {
    message: expect.stringMatching(/^No request could be sent in time/),
    extensions: { code: 'RATE_LIMITED' },
  };
  expect(failures).toMatchObject([undefined, undefined, late]);
  clock.advance(1050);
  expect((await joined).errors).toEqual([]);
});

test('a balance too large for an Int is capped, and too many symbols are refused', async () => {
  const { ask, get, sandbox } = await open();
  const rewrite = (body: unknown) => Object.assign({}, body, { creditsRemaining: 5e9 });
  sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
  await get('{ cryptoAssets { totalCount } }');
  const usage = await get('{ usage { credits { remaining } } }');
  expect(usage).toEqual({ usage: { credits: { remaining: 2 ** 31 - 1 } } });
  const symbols = Array.from({ length: 9000 }, (_, i) => `Z${i}`);
  const { errors } = await ask(
    'query ($s: [String!]) { cryptoAssets(filter: { symbols: $s }) { totalCount } }',
    { s: symbols },
  );
  expect(errors[0]?.message).toBe('filter.symbols: must have at most 500 items');
});

test('changes of a day that the upstream leaves out are counted, with a warning', async () => {
  const { ask, sandbox } = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  const rewrite = (body: unknown) => Object.assign({}, body, { total: 5000 });
  sandbox.fault({ kind: 'rewrite', path: '/legislation/changes', rewrite });
  const day = 'filter: { start: "2026-11-20", end: "2026-11-20" }';
  const { errors, data, extensions } = await ask(`{ legislationChanges(${day}) { totalCount } }`);
  expect([errors, data]).toEqual([[], { legislationChanges: { totalCount: 5000 } }]);
  expect(extensions.warnings).toMatchObject([{ dataset: 'legislation' }]);
});

test('queries whose answers are cut short cost nothing when repeated', async () => {
  const { ask } = await open({ legislationPageSize: 10 });
  const months = ['"2026-08-01", end: "2026-08-31"', '"2026-09-10", end: "2026-10-10"'];
  const round = async () => {
    const costs = [];
    for (const days of months) {
      const { extensions } = await ask(
        `{ legislationChanges(filter: { start: ${days} }) { totalCount } }`,
      );
      costs.push(extensions.usage.credits.used);
    }
    return costs;
  };
  await round();
  expect([await round(), await round()]).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('what the upstream filters itself is whole, and is requested at once if the rest is known to be cut short', async () => {
  const { ask } = await open({ legislationPageSize: 180 });
  const circulars = async (days: string) => {
    const filter = `filter: { ${days} types: [CIRCULAR] }`;
    const { data, extensions } = await ask<{ legislationChanges: { totalCount: number } }>(
      `{ legislationChanges(${filter}) { totalCount } }`,
    );
    expect(data.legislationChanges.totalCount).toBeGreaterThan(0);
    expect(extensions.warnings).toBeUndefined();
    return extensions.usage.credits.used;
  };
  expect(await circulars('')).toBe(2);
  expect(await circulars('start: "2026-09-01", end: "2026-11-20",')).toBe(2);
  expect(await circulars('start: "2026-06-01", end: "2026-11-20",')).toBe(1);
});

test('requests refused for one client’s wrong argument do not shorten those of others', async () => {
  const { ask, sandbox } = await open();
  const changes = (filter: string) =>
    ask(`{ legislationChanges(filter: { ${filter} }) { totalCount } }`);
  sandbox.fault({ kind: 'status', status: 422, path: '/legislation/changes', times: 4 });
  for (let i = 0; i < 4; i += 1) await changes(`start: "2026-11-19", institution: "no slug ${i}"`);
  const before = sandbox.requests().length;
  for (let day = 20; day > 0; day -= 1)
    await changes(`start: "2026-11-${String(day).padStart(2, '0')}"`);
  expect(sandbox.requests().length - before).toBe(1);
});
