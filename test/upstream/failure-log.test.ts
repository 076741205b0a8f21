import pino from 'pino';
import { expect, test } from 'vitest';
import { createFailureLog } from '../../src/observe/log.ts';
import { open } from './opened.ts';

/** What the log says of requests that failed. */

function createLog() {
  const lines: { level: number; code: string; msg: string }[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const told = (level: number) => lines.filter((line) => line.level === level);
  return { log, warnings: () => told(40), details: () => told(20) };
}

test('requests that are not sent for the same reason are warned of once a minute', async () => {
  const { ask, ends } = await open({ credits: 0 });
  for (let i = 0; i < 60; i += 1) await ask('crypto');
  // The first was sent, and refused.
  ends.shift();
  const { log, warnings, details } = createLog();
  let now = 0;
  const tell = createFailureLog(log, () => now);
  for (const end of ends) tell(end);
  const expected = { code: 'INSUFFICIENT_CREDITS', msg: 'an upstream request was not sent' };
  expect(warnings()).toMatchObject([expected]);
  expect(details()).toHaveLength(58);
  now += 60_000;
  tell(ends[0]!);
  expect(warnings()).toHaveLength(2);
});

test('the cap on requests of an operation is no warning: the operation tells it', async () => {
  const { ask, ends } = await open({ maxRequests: 0 });
  await ask('crypto');
  const { log, warnings, details } = createLog();
  for (const end of ends) createFailureLog(log, () => 0)(end);
  expect([warnings().length, details().length]).toEqual([0, 1]);
});

test('each request that was sent and failed is told, with its cause', async () => {
  const { ask, ends } = await open({ groupA: { baseUrl: 'http://127.0.0.1:1' } });
  await ask('rates');
  const { log, warnings } = createLog();
  for (const end of ends) createFailureLog(log, () => 0)(end);
  const expected = { code: 'UPSTREAM_UNAVAILABLE', cause: 'ECONNREFUSED' };
  expect(warnings()).toMatchObject([expected, expected]);
});
