import { describe, expect, test } from 'vitest';
import { type DemoClient, writePast } from '../../src/demo/past.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { lateInMonth, openConsole, RATES } from './gateway.ts';
import { visit } from './visit.ts';

/** Everything that the console shows can be read in full. */

const PREFIX = 'a-long-prefix-'.repeat(4);
const PHONE = { width: 360, height: 740 };

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('sixty clients with long names, on a phone: no name is cut, and the button says how many it shows', async () => {
    const DATA_DIR = temporaryFolder();
    const clients: DemoClient[] = Array.from({ length: 60 }, (_, i) => ({
      name: `${PREFIX}${i}`,
      share: 1,
      operations: [`Operation${'Long'.repeat(60)}`],
    }));
    writePast(DATA_DIR, clients, { now: lateInMonth(), timezone: 'Europe/Istanbul' });
    const { url } = await openConsole({ DATA_DIR }, lateInMonth);
    const { page, problems } = await visit(browser(), url, { viewport: PHONE });
    await page.click('text="Show 50 of 60"');
    const rows = page.locator('#spenders tbody tr');
    expect(await rows.count()).toBe(51);
    expect(await rows.last().textContent()).toMatch(/^10 others/);
    const cut = `[...document.querySelectorAll('tbody th')].filter((one) => one.scrollWidth > one.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await page.click('text="Operation"');
    expect(await page.evaluate(cut)).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(problems).toEqual([]);
  });

  test('a failed CSV download is reported until the next try', async () => {
    const { ask, url } = await openConsole({}, lateInMonth);
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    await page.route('**/spent.csv*', (route) => route.abort());
    await page.click('#csv');
    const problem = page.locator('#csv-problem');
    const text = 'marketgraph-2026-11.csv could not be downloaded: the gateway does not answer';
    await problem.filter({ hasText: text }).waitFor();
    await ask(RATES);
    await page.locator('#spenders tbody').getByText('Rates').waitFor();
    expect(await problem.textContent()).toBe(text);
    await page.unroute('**/spent.csv*');
    const download = page.waitForEvent('download');
    await page.click('#csv');
    await download;
    expect(await problem.textContent()).toBe('');
  });
});
