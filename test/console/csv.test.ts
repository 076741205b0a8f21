import { expect, test } from 'vitest';
import { spentCsv } from '../../src/console/csv.ts';

/** What was spent, as spreadsheets read it. */

test('a text that begins like a formula is none any more; a number stays one, below zero too', () => {
  const line = { hour: 0, meter: 'fx', client: '=a', operation: '-b', dataset: 'c,d' } as const;
  const [, row] = spentCsv([{ ...line, units: -2 }]).split('\n');
  expect(row).toBe(`1970-01-01T00:00Z,fx,'=a,'-b,"c,d",-2`);
});
