import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LEGISLATION, slowDown } from '../e2e/late.ts';
import { timeoutFor } from '../harness.ts';
import { openKeys } from './clients.ts';
import { POLL_OFTEN } from './listening.ts';

/** The first answer is late after 2 s, and the retry after 4. */
const WHILE_WAITING_MS = 3000;

test('a client whose key is revoked while its answer is late gets no old records in its place', async () => {
  const env = { ...timeoutFor('hang'), ...POLL_OFTEN };
  const { bench, ask, write } = await openKeys([{ name: 'web' }, { name: 'app' }], { env });
  slowDown(bench);
  const { field, range, filter } = LEGISLATION;
  const question = `{ ${field(`${range}, ${filter}`)} }`;
  expect((await ask('web', question)).errors).toEqual([]);
  bench.clock.advance(3_660_000);
  const pending = ask('web', question);
  await setTimeout(WHILE_WAITING_MS);
  write([{ name: 'app' }]);
  const { errors } = await pending;
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
});
