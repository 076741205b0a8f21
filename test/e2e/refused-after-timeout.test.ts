import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that is too slow for long ranges, and refuses a short one. */

const QUESTION =
  '{ fxRate(pair: "USDTRY") { history(start: "2026-11-01", end: "2026-11-20") { points { date } } } }';
const NARROW = '/v1/fx/rates/USDTRY/history?start=2026-11-01&end=2026-11-20';

test('after a timeout, a refusal does not let requests grow again', async () => {
  const { ask, clock, sandbox } = await open({ env: { UPSTREAM_TIMEOUT_MS: '1500' } });
  await ask('{ fxRate(pair: "USDTRY") { mid } }');
  const isLong = (path: string) => path.includes('/history') && path !== NARROW;
  sandbox.fault({ kind: 'hang', path: isLong });
  sandbox.fault({ kind: 'status', status: 503, path: NARROW, times: 1 });
  const { errors } = await ask(QUESTION);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  const before = sandbox.requests().length;
  clock.advance(60_000);
  expect((await ask(QUESTION)).errors).toEqual([]);
  const paths = sandbox
    .requests()
    .slice(before)
    .map(({ path }) => path);
  expect(paths.filter((path) => path.includes('/history'))).toEqual([NARROW]);
});
