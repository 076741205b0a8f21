import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DemoClient, writePast } from '../../src/demo/past.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { COINS, lateInMonth, openConsole, RATES } from './gateway.ts';
import { visit } from './visit.ts';

/** The console, as seen by whoever pays. */

const ZONE = 'Europe/Istanbul';

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const used = (page: Page, meter: string) => page.textContent(`[data-meter="${meter}"]`);
  const figure = (page: Page, name: string) => page.textContent(`[data-figure="${name}"]`);

  test('shows live what the upstream has counted', async () => {
    const { ask, url, sandbox } = await openConsole({ FX_MONTHLY_LIMIT: '100' });
    const { page, problems, hosts } = await visit(browser(), url);
    await page.waitForSelector('#empty:not([hidden])');
    expect(await page.textContent('#empty')).toMatch(/^Nothing has been asked yet/);
    await ask(RATES);
    await ask(COINS);
    await ask(COINS);
    // A report that was made between two questions knows their units already, but not all of them.
    await page.locator('[data-figure="without"]').filter({ hasText: /^3$/ }).waitFor();
    expect(await used(page, 'fx')).toBe(String(sandbox.spent().fx));
    expect(await used(page, 'credits')).toBe(String(sandbox.spent().credits));
    expect(await figure(page, 'saved')).toBe('33 %');
    expect(await page.locator('#empty').isHidden()).toBe(true);
    expect(await page.innerText('#state')).toMatch(/^live, /);
    expect(await page.textContent('#spenders tbody')).toContain('Coins');
    expect(await page.locator('.chart canvas').count()).toBe(3);
    expect(problems).toEqual([]);
    expect([...hosts]).toEqual([url]);

    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#spenders'))`);
    const state = (text: string) => page.locator('#state-text').getByText(text).waitFor();
    await state('paused while text is selected');
    expect(await page.evaluate('String(getSelection())')).toContain('Coins');
    await page.evaluate('getSelection().removeAllRanges()');
    await state('live');
  });

  test('a month of fifty clients: all of them, earlier months, CSV, on a phone and in the dark', async () => {
    const DATA_DIR = temporaryFolder();
    const clients: DemoClient[] = Array.from({ length: 50 }, (_, i) => ({
      name: `client-${i}`,
      share: 1,
      operations: ['<img src=x onerror=alert(1)>'],
    }));
    const { spent } = writePast(DATA_DIR, clients, { now: lateInMonth(), timezone: ZONE });
    const { url } = await openConsole({ DATA_DIR, FX_MONTHLY_LIMIT: '100000' }, lateInMonth);
    const phone = { width: 390, height: 844 };
    const { page, problems } = await visit(browser(), url, {
      viewport: phone,
      colorScheme: 'dark',
    });
    await page.waitForFunction(() => document.querySelectorAll('#spenders tbody tr').length === 10);
    expect(await used(page, 'fx')).toBe(spent.fx.toLocaleString('en-US'));
    expect(await page.textContent('.verdict')).toMatch(/^About [\d,]+ by /);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(dark).toBe('rgb(14, 19, 25)');

    await page.click('#all');
    expect(await page.locator('#spenders tbody tr').count()).toBe(50);
    await page.click('text="Operation"');
    expect(await page.textContent('#spenders tbody th')).toBe('<img src=x onerror=alert(1)>');

    await page.click('text="Last hour"');
    await page.click('#earlier');
    await page.locator('#state-text', { hasText: 'past month' }).waitFor();
    // The last hour is not part of a past month.
    expect(await page.locator('#spans').isHidden()).toBe(true);
    const download = page.waitForEvent('download');
    await page.click('#csv');
    expect((await download).suggestedFilename()).toMatch(/^marketgraph-\d{4}-\d\d\.csv$/);
    await page.click('#later');
    await page.waitForSelector('#state[data-kind="live"]');
    expect(problems).toEqual([]);
  });

  test('the address contains the month, and a month without data says only that', async () => {
    const { url } = await openConsole();
    const { page, problems } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const current = await page.textContent('#month');
    await page.click('#earlier');
    await page.locator('#state-text', { hasText: 'past month' }).waitFor();
    const previous = await page.textContent('#month');
    expect(new URL(page.url()).search).toMatch(/^\?month=\d{4}-\d\d$/);
    expect(await page.locator('#content').innerText()).toBe('There are no figures for this month.');
    await page.reload();
    await page.locator('#state-text', { hasText: 'past month' }).waitFor();
    expect(await page.textContent('#month')).toBe(previous);
    await page.goBack();
    await page.waitForSelector('#state[data-kind="live"]');
    expect(await page.textContent('#month')).toBe(current);
    await page.goForward();
    await page.locator('#state-text', { hasText: 'past month' }).waitFor();
    await page.click('#later');
    await page.waitForSelector('#state[data-kind="live"]');
    expect(new URL(page.url()).search).toBe('');
    expect(problems).toEqual([]);
    await page.goto(`${url}/?month=9999-01`);
    await page.waitForSelector('#state[data-kind="live"]');
  });

  test('names only the lines that are drawn, and no landmark twice', async () => {
    const { ask, url } = await openConsole();
    const { page } = await visit(browser(), url);
    await ask(RATES);
    await page.waitForSelector('#state[data-kind="live"]');
    expect(await page.locator('.key.spent:visible').count()).toBe(3);
    expect(await page.locator('.key.allowance:visible').count()).toBe(0);
    for (const name of ['Spending', 'Cache and upstream'])
      expect(await page.getByRole('region', { name }).count()).toBe(1);
  });

  test('asks for the token, and says if it is wrong', async () => {
    const { url } = await openConsole({ ADMIN_TOKEN: 'the-token' });
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#login:not([hidden])');
    expect(await page.locator('#content').isHidden()).toBe(true);
    expect(
      await page
        .getByRole('main')
        .getByLabel(/ADMIN_TOKEN/)
        .count(),
    ).toBe(1);
    expect(await page.getByRole('navigation').count()).toBe(0);
    for (const wrong of ['tök€n', 'another']) {
      await page.fill('#token', wrong);
      await page.keyboard.press('Enter');
      await page.getByText('That is not the token.').waitFor();
      await page.reload();
      await page.waitForSelector('#login:not([hidden])');
    }
    await page.fill('#token', 'the-token');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#content:not([hidden])');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(await used(page, 'fx')).toBe('0');
  });

  test('says how many datasets fail, and what is used up', async () => {
    const { ask, url, sandbox } = await openConsole({ FX_MONTHLY_LIMIT: '1' });
    const { page } = await visit(browser(), url);
    await ask(RATES);
    sandbox.fault({ kind: 'status', status: 500 });
    const calendar = 'calendarEvents { totalCount } legislationChanges { totalCount }';
    await ask(`{ macroCatalog { totalCount } ${calendar} cryptoAssets { totalCount } }`);
    await page.locator('[data-figure="upstream"]').getByText('4 datasets failing').waitFor();
    expect(await page.locator('.gauge[data-kind="bad"]').count()).toBe(1);
  });

  test('if the key is refused, it does not say that nothing has been asked', async () => {
    const { ask, url } = await openConsole({ GROUP_A_KEY: 'wrong' });
    const { page } = await visit(browser(), url);
    await ask(RATES);
    await page.locator('[data-figure="upstream"]').getByText('Group A refuses the key').waitFor();
    await expect.poll(() => page.locator('#empty').isHidden(), { timeout: 60_000 }).toBe(true);
  });

  test('says that nothing may be spent, since the ledger cannot be written', async () => {
    const DATA_DIR = temporaryFolder();
    const { ask, url, sandbox, report } = await openConsole({ DATA_DIR, FX_MONTHLY_LIMIT: '5' });
    await ask(RATES);
    const other = new DatabaseSync(join(DATA_DIR, 'ledger.sqlite'));
    onTestFinished(() => other.close());
    other.exec('DROP TABLE units');
    await ask('{ fxRate(pair: "USDTRY") { history { points { value } } } }');
    await expect.poll(async () => (await report()).store).toBe('unusable');
    const { page } = await visit(browser(), url);
    await page.getByText('cannot be stored at present').waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('says that the gateway does not answer', async () => {
    const { url, close } = await openConsole();
    const { page, problems } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    await close();
    const failed = page.waitForEvent('requestfailed', (one) => one.url().includes('spent.csv'));
    await page.click('#csv');
    await failed;
    await page.waitForSelector('#state[data-kind="away"]');
    expect(await page.innerText('#state')).toMatch(/^the gateway does not answer; as of /);
    expect(await figure(page, 'upstream')).toBe('–');
    // Only what the browser itself reports about a request.
    expect(problems.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  });
});
