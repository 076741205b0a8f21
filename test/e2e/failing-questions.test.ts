import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that fails on a question of one client, whose cache key is that of everybody's questions. */

/** Longer than any pause after a failure. */
const LONGEST_PAUSE_MS = 30_000;

const YEAR_ONE = 'filter: { start: "0001-01-01", end: "0001-01-02" }';
const odd = (path: string) => /start=0001|symbols=[^&]*%27/.test(path);

const QUESTIONS = [
  [`{ calendarEvents(${YEAR_ONE}) { totalCount } }`, '{ calendarEvents { totalCount } }'],
  [
    `{ legislationChanges(${YEAR_ONE}) { totalCount } }`,
    '{ legislationChanges(filter: { start: "2026-11-01" }) { totalCount } }',
  ],
  [`{ cryptoAsset(symbol: "A'B") { price } }`, '{ cryptoAsset(symbol: "ZZZ") { price } }'],
  [
    '{ macroSeries(code: "TP.DK.USD.A") { observations(start: "0001-01-01", end: "0001-01-02") { change } } }',
    '{ macroSeries(code: "TP.DK.USD.A") { observations(start: "2026-11-01") { change } } }',
  ],
] as const;

test.each(QUESTIONS)(
  'while %s fails, it is not sent again at once, and the usual question is',
  async (failing, usual) => {
    let monotonic = 0;
    const { ask, cost, sandbox } = await open({ monotonic: () => monotonic });
    const release = sandbox.fault({ kind: 'status', status: 500, path: odd });
    const failed = async () => {
      const { errors, extensions } = await ask(failing);
      return { code: errors[0]?.extensions.code, sent: extensions.usage.upstream.requests };
    };
    expect(await failed()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(await failed()).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sent: 0 });
    expect(await cost(usual)).toBe(1);
    // An answer under the same key does not end the pause of the question that failed.
    expect(await failed()).toEqual({ code: 'UPSTREAM_UNAVAILABLE', sent: 0 });
    release();
    monotonic += LONGEST_PAUSE_MS;
    expect((await ask(failing)).extensions.usage.upstream.requests).toBeGreaterThan(0);
  },
);

test('a failure that is not about what was asked holds back all questions of its kind', async () => {
  const { ask, sandbox } = await open({ monotonic: () => 0 });
  sandbox.fault({ kind: 'status', status: 401, times: 1 });
  expect((await ask('{ calendarEvents { totalCount } }')).errors).toHaveLength(1);
  const { errors, extensions } = await ask(`{ calendarEvents(${YEAR_ONE}) { totalCount } }`);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTHENTICATION' } }]);
  expect(extensions.usage.upstream.requests).toBe(0);
});
