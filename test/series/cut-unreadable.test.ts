import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Series of an upstream that returns the first 100 records at most, without saying so. */

const QUESTION =
  '{ fxRate(pair: "USDTRY") { history(start: "2026-11-01", end: "2026-11-20") { points { date } } } }';

interface Found {
  fxRate: { history: { points: object[] } };
}

const UNREADABLE = [
  ['all of which can be read', (record: object) => record],
  ['one of which cannot be read', (record: object, i: number) => (i === 7 ? {} : record)],
  [
    'one of which is repeated',
    (record: object, i: number, all: readonly object[]) => all[i === 7 ? 8 : i] ?? record,
  ],
] as const;

test.each(UNREADABLE)(
  'days are not empty if an answer is cut short after 100 records, %s',
  async (_, change) => {
    const { ask, sandbox } = await open();
    const rewrite = (body: unknown) => {
      const { data = [], ...rest } = Object(body) as { data?: object[] };
      return { ...rest, data: data.length > 100 ? data.slice(0, 100).map(change) : data };
    };
    sandbox.fault({ kind: 'rewrite', path: (path) => path.includes('/history'), rewrite });
    const { data } = await ask<Found>(QUESTION);
    expect(data.fxRate.history.points.length).toBeGreaterThan(10);
  },
);
