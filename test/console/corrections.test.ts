import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { correctionIn } from '../../src/shared/attribution.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { Purpose } from '../../src/shared/units.ts';
import { hourAt, monthAt } from '../../src/time.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { lateInMonth, openConsole } from './gateway.ts';
import { visit } from './visit.ts';

/** Requests that timed out were counted; a later balance has shown that some of them were not charged. */

async function openCorrected(client = '') {
  const DATA_DIR = temporaryFolder();
  const now = lateInMonth();
  const store = unitsInSqlite({
    path: join(DATA_DIR, 'ledger.sqlite'),
    now: lateInMonth,
    onTrouble: { begins: (reason) => expect.unreachable(reason), ends: () => undefined },
  });
  const coins = { client, operation: 'Coins', dataset: 'crypto', hour: hourAt(now), budgets: [] };
  const spent = (purpose: Purpose, cost: number) => ({ purpose, requests: 1, cost });
  const nothing = { take: [], limit: undefined, look: undefined, underWay: 0, held: 0 };
  const id = { month: monthAt(now, 'Europe/Istanbul'), meter: 'credits' } as const;
  const units = [spent(coins, 6), spent(correctionIn(hourAt(now)), -2)];
  await store.apply(id, { ...nothing, number: 1, ended: [], spent: units });
  await store.close();
  return openConsole({ DATA_DIR }, lateInMonth);
}

test.each(['', 'web'])(
  'corrections are told apart from client "%s", everywhere',
  async (client) => {
    const { report } = await openCorrected(client);
    const { spenders } = await report();
    const named = (name: string) => [
      { name, units: { credits: 6 } },
      { name: '(time-outs)', units: { credits: -2 } },
    ];
    expect(spenders.client.most).toMatchObject(named(client));
    expect(spenders.operation.most).toMatchObject(named('Coins'));
    expect(spenders.dataset.most).toMatchObject(named('crypto'));
  },
);

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('units that were given back have no share, and the same name in all tables', async () => {
    const { url } = await openCorrected();
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const rows = () => page.locator('#spenders tbody tr').allInnerTexts();
    expect(await page.textContent('#spenders thead th')).toBe('operation');
    for (const [tab, name] of [
      ['Operation', 'Coins'],
      ['Dataset', 'crypto'],
      ['Client', '(no name)'],
    ]) {
      await page.click(`#dimensions >> text="${tab}"`);
      const texts = (await rows()).map((text) => text.trim().split(/\s*\t\s*/));
      expect(texts).toEqual([
        [name, '0', '0', '6', '100 %'],
        ['(time-outs)', '0', '0', '-2', '–'],
      ]);
    }
  });
});
