import { describe, expect, test } from 'vitest';
import { access } from '../harness.ts';
import { DAY_MS, HOUR_MS, hourAt, monthAt } from '../../src/time.ts';
import { linesOf, openStore } from '../shared/lines.ts';
import { STORES } from '../shared/stores.ts';
import { NO_SERVER, startValkey } from '../shared/valkey-server.ts';
import { openConsole } from './gateway.ts';

/** A month has more lines of spending than are read at a time. */

const now = new Date();
/** The month before this one: much older lines are forgotten. */
const MONTH_MS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
const MONTH = monthAt(MONTH_MS, 'UTC');
const FROM = hourAt(MONTH_MS + 4 * DAY_MS + 20 * HOUR_MS);
/** Of two days. */
const LINES = linesOf(FROM, 8, 260);

describe.each(STORES)('$name', ({ open, isMissing }) => {
  test.skipIf(isMissing)('the whole month is in the CSV and in the report', async () => {
    const { env } = await open();
    const { sandbox, get, report } = await openConsole(env);
    const store = await openStore({ ...access(sandbox), ...env });
    await store.write(LINES);
    await store.close();
    const csv = await (await get(`/spent.csv?month=${MONTH}`)).text();
    const [header, ...rows] = csv.trimEnd().split('\n');
    expect(header).toBe('hour,meter,client,operation,dataset,units');
    const hours = rows.map((row) => row.slice(0, 16));
    expect(hours).toEqual(hours.toSorted());
    const expected = LINES.map(({ hour, client }) => {
      const at = new Date(hour * HOUR_MS).toISOString().slice(0, 16);
      return `${at}Z,fx,${client},Q,fx history,1`;
    });
    expect(rows.toSorted()).toEqual(expected.toSorted());
    const { meters, spenders } = await report(MONTH);
    expect(meters.find(({ meter }) => meter === 'fx')).toMatchObject({
      used: LINES.length,
      hours: Array.from({ length: 8 }, (_, i) => [FROM + i, 260]),
    });
    expect([spenders.client.most.length, spenders.client.others.count]).toEqual([50, 210]);
    expect(spenders.operation.most).toMatchObject([{ name: 'Q', units: { fx: LINES.length } }]);
  });
});

test('a HEAD request gets only the head', async () => {
  const { url } = await openConsole();
  const head = await fetch(`${url}/spent.csv`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/csv; charset=utf-8',
    '',
  ]);
});

test.skipIf(NO_SERVER)('a store that cannot be read is reported', async () => {
  const server = await startValkey();
  const { get } = await openConsole({ SHARED_URL: server.url });
  await server.kill();
  for (const path of ['/spent.csv', '/report.json']) {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('cannot')]);
  }
});
