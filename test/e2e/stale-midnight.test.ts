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

test.each([
  ['yesterday', '2026-11-23', '2026-11-24'],
  ['on a day to come', '2026-12-10', '2026-12-11'],
])(
  'an answer of today that ends %s does not stand for one that ends a day later',
  async (_when, first, later) => {
    const { clock, get, ask, sandbox } = await open();
    clock.set(BEFORE_MIDNIGHT);
    const upTo = (end: string) =>
      `{ legislationChanges(filter: { end: "${end}" }) { nodes { recordId } } }`;
    await get(upTo(first));
    sandbox.fault({ kind: 'status', status: 503 });
    const { errors } = await ask(upTo(later));
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  },
);

test('a month lasts with fewer units than it has midnights', async () => {
  const { clock, ask, sandbox } = await open({ env: { FX_MONTHLY_LIMIT: '25' } });
  clock.set('2026-12-01T00:10:00+03:00');
  const question = `{ fxRate(pair: "USDTRY") { history(${SINCE}) { change } } }`;
  for (let hour = 0; hour < 31 * 24 - 1; hour += 1) {
    const { errors, extensions } = await ask(question);
    expect([errors, extensions.usage.upstream.stale]).toEqual([[], 0]);
    clock.advance(60 * MINUTE_MS);
  }
  expect(sandbox.spent().fx).toBeLessThanOrEqual(25);
});
