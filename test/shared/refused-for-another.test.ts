import { expect, onTestFinished, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { otherProcess } from './stored.ts';

/** A process asks for the days that others wait for along with its own: if those are refused, it goes on without them. */

const HISTORY = '/v1/fx/rates/USDTRY/history';

const history = (start: string, end: string) =>
  `{ fxRate(pair: "USDTRY") { history(start: "${start}", end: "${end}") { points { date } } } }`;

test('days that another process waits for, and that are refused, fail nobody else', async () => {
  const env = { DATA_DIR: temporaryFolder(), WIDEN_MAX_BYTES: '1' };
  const bench = await open({ env });
  const { sandbox } = bench;
  const [second, third] = [await bench.another(env), await bench.another(env)];
  const db = otherProcess(env.DATA_DIR);
  onTestFinished(() => db.close());
  const wants = db.prepare("SELECT count(*) AS n FROM wants WHERE key LIKE '%history%'");

  const refused = '2026-11-02';
  sandbox.fault({ kind: 'status', status: 400, path: (path) => path.includes(refused) });
  const release = sandbox.fault({ kind: 'hold', path: HISTORY, times: 1 });
  const asked = [bench.ask(history('2026-11-10', '2026-11-12'))];
  await expect.poll(() => sandbox.requests()).toHaveLength(2);
  asked.push(second.ask(history('2026-11-10', '2026-11-13')));
  await expect.poll(() => wants.get()?.['n']).toBe(1);
  asked.push(third.ask(history(refused, '2026-11-12')));
  await expect.poll(() => wants.get()?.['n']).toBe(2);
  release();

  const codes = (await Promise.all(asked)).map(({ errors }) =>
    errors.map(({ extensions }) => extensions?.['code']),
  );
  expect(codes).toEqual([[], [], ['BAD_USER_INPUT']]);
  const ranges = sandbox.requests().flatMap(({ path }) => path.split(`${HISTORY}?`)[1] ?? []);
  expect(ranges.toSorted()).toEqual([
    'start=2026-11-02&end=2026-11-09',
    'start=2026-11-02&end=2026-11-13',
    'start=2026-11-10&end=2026-11-12',
    'start=2026-11-13&end=2026-11-13',
  ]);
});
