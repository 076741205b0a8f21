import pino from 'pino';
import { expect, test } from 'vitest';
import { createSocketLog } from '../../src/observe/log.ts';

/** Log lines about WebSockets that are ended: none is lost, however many are ended at a time. */

const MINUTE_MS = 60_000;

test('the first of a kind is logged at once, later ones with their count, the last ones at the end', () => {
  const lines: string[] = [];
  let at = 0;
  const log = pino({}, { write: (line) => void lines.push(line) });
  const { note, reportCounted } = createSocketLog(log, () => at);
  const logged = () =>
    lines.splice(0).map((line) => {
      const { event, count } = JSON.parse(line) as Record<string, unknown>;
      return [event, count];
    });
  for (let n = 0; n < 6; n += 1) note({ event: 'not reading' });
  note({ event: 'protocol error' });
  expect(logged()).toEqual([
    ['not reading', undefined],
    ['protocol error', undefined],
  ]);
  reportCounted('due');
  expect(logged()).toEqual([]);
  at += MINUTE_MS;
  reportCounted('due');
  expect(logged()).toEqual([['not reading', 5]]);
  note({ event: 'protocol error' });
  note({ event: 'protocol error' });
  reportCounted('all');
  expect(logged()).toEqual([
    ['protocol error', undefined],
    ['protocol error', 1],
  ]);
});
