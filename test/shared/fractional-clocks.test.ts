import { expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';

/** An injected clock may return fractions of milliseconds, as `performance` does. */

test('processes whose clocks return fractions of milliseconds share answers', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const bench = await open({ now: () => Date.UTC(2026, 6, 21, 12) + 0.1234, env });
  const other = await bench.another(env);
  expect(await bench.cost('{ fxRates { totalCount } }')).toBe(1);
  expect(await other.cost('{ fxRates { nodes { pair } } }')).toBe(0);
});
