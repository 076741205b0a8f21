import { expect, test } from 'vitest';
import { formatDay, parseDay } from '../../src/time.ts';
import { open } from '../harness.ts';
import { growthOf } from '../transport/memory.ts';

/** What operations keep of the values that their fields were computed from. */

const LAST = parseDay('2026-06-30')!;

/** The change over forty years, each up to a different day. */
const changes = Array.from({ length: 200 }, (_, i) => {
  const end = formatDay(LAST - i);
  return `a${i}: history(start: "1986-01-01", end: "${end}") { change }`;
});

test.for([
  ['fresh', 0],
  ['stale', 30 * 3_600_000],
] as const)(
  'an operation that waits for the upstream keeps no %s values of its other fields',
  async ([, age]) => {
    const { get, ask, sandbox, clock } = await open();
    await get('{ fxRate(pair: "USDTRY") { history(start: "1985-01-01") { change } } }');
    clock.advance(age);
    if (age > 0) sandbox.fault({ kind: 'status', status: 503, path: '/v1/fx/rates' });
    const release = sandbox.fault({ kind: 'hold', path: '/health' });
    const query = `query ($first: Int) {
    fxRate(pair: "USDTRY") { ${changes.join(' ')} }
    fxRates(first: $first) { totalCount }
    health { status }
  }`;
    let answers: Promise<unknown>[] = [];
    const growth = await growthOf(async () => {
      answers = Array.from({ length: 20 }, (_, i) => ask(query, { first: i }));
      // The last query is answered after all earlier ones have begun.
      for (let i = 0; i < 3; i += 1) await ask('{ fxRates { totalCount } }');
    });
    release();
    expect(JSON.stringify(await Promise.all(answers)).length).toBeGreaterThan(10_000);
    expect(growth).toBeLessThan(50);
  },
);
