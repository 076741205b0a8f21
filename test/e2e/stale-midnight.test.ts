import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** A day begins that nobody can ask for: what came before it is served still. */

const MINUTE_MS = 60_000;
const BEFORE_MIDNIGHT = '2026-11-24T20:00:00Z';

const PROVENANCE = 'provenance { stale }';

const SINCE = 'start: "2026-11-16"';

const QUESTIONS = [
  ['history', `{ fxRate(pair: "USDTRY") { history(${SINCE}) { points { date } ${PROVENANCE} } } }`],
  [
    'last values',
    `{ fxRate(pair: "USDTRY") { history(last: 3) { points { date } ${PROVENANCE} } } }`,
  ],
  [
    'observations',
    `{ macroSeries(code: "TP.DK.USD.A") { observations(${SINCE}) { points { date } ${PROVENANCE} } } }`,
  ],
  [
    'legislation',
    `{ legislationChanges(filter: { ${SINCE} }) { nodes { recordId } ${PROVENANCE} } }`,
  ],
] as const;

const ONCE = { FX_MONTHLY_LIMIT: '2', MACRO_MONTHLY_LIMIT: '2', CREDITS_MONTHLY_LIMIT: '1' };

describe.each([
  ['the upstream is down', {}],
  ['the allowance is used up', ONCE],
])('after midnight, while %s', (_why, env: Record<string, string>) => {
  test.each(QUESTIONS)('%s: the old answer is served, marked stale', async (_what, question) => {
    const { clock, get, ask, sandbox } = await open({ env });
    clock.set(BEFORE_MIDNIGHT);
    const before = JSON.stringify(await get(question));
    const spent = sandbox.spent();
    if (env !== ONCE) sandbox.fault({ kind: 'status', status: 503 });
    clock.advance(61 * MINUTE_MS);
    const { data, errors, extensions } = await ask(question);
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toBe(before.replace('"stale":false', '"stale":true'));
    expect(extensions.usage.upstream.stale).toBeGreaterThan(0);
    expect(sandbox.spent()).toEqual(spent);
  });
});

test('days that had begun when their neighbors came are not left out in silence', async () => {
  const { clock, get, ask, sandbox } = await open({ env: { WIDEN_MAX_BYTES: '1' } });
  clock.set(BEFORE_MIDNIGHT);
  const history = (range: string) =>
    `{ fxRate(pair: "USDTRY") { history(start: "2026-11-01"${range}) { points { date } } } }`;
  await get(history(', end: "2026-11-20"'));
  sandbox.fault({ kind: 'status', status: 503 });
  const { errors } = await ask(history(''));
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
});

test('a midnight alone costs nothing, and makes no answer older than its time to live', async () => {
  const env = { TTL_FX_HISTORY: '600', TTL_LEGISLATION: '600' };
  const { clock, get, cost } = await open({ env });
  clock.set('2026-11-24T20:59:00Z');
  const history = `{ fxRate(pair: "USDTRY") { history(${SINCE}) { points { date } } } }`;
  const changes = `{ legislationChanges(filter: { ${SINCE} }) { totalCount } }`;
  const before = [await get(history), await get(changes)];
  clock.advance(5 * MINUTE_MS);
  expect([await get(history), await get(changes)]).toEqual(before);
  for (const question of [history, changes]) expect(await cost(question)).toBe(0);
  // Days still to come are asked for as before.
  expect(await cost(history.replace(SINCE, `${SINCE}, end: "2026-11-26"`))).toBe(1);
  clock.advance(6 * MINUTE_MS);
  expect(await cost(changes)).toBe(1);
});
