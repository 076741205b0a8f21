import pino from 'pino';
import { expect, test } from 'vitest';
import { createFailureLog } from '../../src/observe/failure-log.ts';
import { open } from './opened.ts';

/** What the log says about failed requests. */

function createLog() {
  const lines: { level: number; code: string; msg: string; count?: number }[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const loggedAt = (level: number) => lines.filter((line) => line.level === level);
  return { log, warnings: () => loggedAt(40), details: () => loggedAt(20) };
}

test('requests that are not sent for the same reason cause one warning a minute', async () => {
  const { ask, ends } = await open({ credits: 0 });
  for (let i = 0; i < 60; i += 1) await ask('crypto');
  // The first was sent, and refused.
  ends.shift();
  const { log, warnings, details } = createLog();
  let now = 0;
  const { note: tell } = createFailureLog(log, () => now);
  for (const end of ends) tell(end);
  const expected = { code: 'INSUFFICIENT_CREDITS', msg: 'an upstream request was not sent' };
  expect(warnings()).toMatchObject([expected]);
  expect(details()).toHaveLength(59);
  now += 60_000;
  tell(ends[0]!);
  expect(warnings()).toHaveLength(2);
});

test("the limit on an operation's requests causes no warning: the operation reports it", async () => {
  const { ask, ends } = await open({ maxRequests: 0 });
  await ask('crypto');
  const { log, warnings, details } = createLog();
  for (const end of ends) createFailureLog(log, () => 0).note(end);
  expect([warnings().length, details().length]).toEqual([0, 1]);
});

test('the same failure is logged once a minute, with its cause and count', async () => {
  const { ask, ends } = await open({ groupA: { baseUrl: 'http://127.0.0.1:1' } });
  await ask('rates');
  const { log, warnings } = createLog();
  let now = 0;
  const { note, reportCounted } = createFailureLog(log, () => now);
  const [end] = ends;
  const times = (count: number) => Array.from({ length: count }, () => note(end!));
  times(3);
  note({ ...end!, dataset: 'another' });
  now += 59_999;
  reportCounted('due');
  const expected = { code: 'UPSTREAM_UNAVAILABLE', cause: 'ECONNREFUSED' };
  expect(warnings()).toMatchObject([expected, expected]);
  expect(warnings().map(({ count }) => count)).toEqual([undefined, undefined]);
  now += 1;
  times(2);
  expect(warnings().slice(2)).toMatchObject([{ ...expected, count: 3 }]);
  reportCounted('all');
  expect(warnings().slice(3)).toMatchObject([{ ...expected, count: 1 }]);
});

test('counted failures are logged at the end of their minute, without another failure', async () => {
  const { ask, ends } = await open({ groupA: { baseUrl: 'http://127.0.0.1:1' } });
  await ask('rates');
  const { log, warnings } = createLog();
  let now = 0;
  const { note, reportCounted } = createFailureLog(log, () => now);
  for (let i = 0; i < 500; i += 1) note(ends[0]!);
  now += 60_000;
  reportCounted('due');
  reportCounted('all');
  expect(warnings().map(({ count }) => count)).toEqual([undefined, 499]);
});

test('an invalid answer is logged with its status', async () => {
  const { ask, ends, sandbox } = await open();
  sandbox.fault({ kind: 'status', status: 404, body: '<html>', path: '/crypto' });
  await ask('crypto');
  const { log, warnings } = createLog();
  for (const end of ends) createFailureLog(log, () => 0).note(end);
  expect(warnings()).toMatchObject([{ code: 'UPSTREAM_BAD_RESPONSE', status: 404 }]);
});
