import { expect, test } from 'vitest';
import { createRows, spentCsv } from '../../src/console/csv.ts';

/** Spending in a form that spreadsheets read. */

test('a text that begins like a formula is escaped; a number stays one, even a negative one', async () => {
  const line = { hour: 0, meter: 'fx', client: '=a', operation: '-b', dataset: 'c,d' } as const;
  const rows = createRows(async function* () {
    yield [{ ...line, units: -2 }];
  });
  expect(await rows({ from: 0, to: 1 })).toBe(`1970-01-01T00:00Z,fx,'=a,'-b,"c,d",-2\n`);
});

test('nothing is read beyond what the reader takes', async () => {
  const read: unknown[] = [];
  const rows = async (hours: object) => String(read.push(hours));
  const texts = await spentCsv({ from: 21, to: 21 + 30 * 24 }, rows);
  for await (const text of texts) if (text === '2') break;
  // By UTC days, whenever the month begins.
  expect(read).toEqual([
    { from: 21, to: 24 },
    { from: 24, to: 48 },
  ]);
});
