import { expect, test } from 'vitest';
import { createRequestLog } from '../../src/sandbox/request-log.ts';

test('a sandbox that runs for long keeps only the latest requests', () => {
  const log = createRequestLog();
  const count = 300_000;
  for (let i = 0; i < count; i += 1) log.end(log.begin('A', `/${i}`, i));
  expect(log.requests().length).toBeLessThanOrEqual(200_000);
  expect(log.requests().at(-100_000)?.path).toBe(`/${count - 100_000}`);
  expect(log.requests().at(-1)?.path).toBe(`/${count - 1}`);
});
