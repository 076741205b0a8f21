import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { lateInMonth, openConsole, RATES } from './gateway.ts';
import { visit } from './visit.ts';

/** What a user has chosen in the console stays, however long reports take and whatever they contain. */

/** Holds back reports until the returned function is called. */
async function holdReports(page: Page) {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/report.json*', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('each click on the previous month counts, although no report has arrived', async () => {
    const { url } = await openConsole({}, lateInMonth);
    const { page, problems } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const release = await holdReports(page);
    const before = await page.evaluate<number>('history.length');
    const { x, y, width, height } = (await page.locator('#earlier').boundingBox())!;
    const clickEarlier = () => page.mouse.click(x + width / 2, y + height / 2);
    for (let i = 0; i < 3; i++) await clickEarlier();
    expect(await page.textContent('#state-text')).toBe('loading August 2026');
    release();
    await page.locator('#month').getByText('August 2026').waitFor();
    expect(await page.evaluate('history.length')).toBe(before + 3);
    // The button is where it was.
    await clickEarlier();
    await page.locator('#month').getByText('July 2026').waitFor();
    for (const month of ['August 2026', 'September 2026']) {
      await page.evaluate('history.back()');
      await page.locator('#month').getByText(month).waitFor();
    }
    expect(problems).toEqual([]);
  });

  test('no click goes beyond the months that are kept', async () => {
    const { url } = await openConsole({}, lateInMonth);
    const { page, problems } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const release = await holdReports(page);
    for (let i = 0; i < 14; i++) await page.click('#earlier', { force: true });
    await page.locator('#state-text').getByText('loading November 2025').waitFor();
    for (let i = 0; i < 14; i++) await page.click('#later', { force: true });
    await page.locator('#state-text').getByText('loading November 2026').waitFor();
    release();
    await page.locator('#state[data-kind="live"]').waitFor();
    expect(await page.textContent('#month')).toBe('November 2026');
    expect(problems).toEqual([]);
  });

  test('text that is selected while a report is on its way stays selected', async () => {
    const { ask, url } = await openConsole();
    await ask(RATES);
    const { page, problems } = await visit(browser(), url);
    await page.locator('#spenders tbody').getByText('Rates').waitFor();
    const release = await holdReports(page);
    await page.waitForRequest('**/report.json*');
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#spenders'))`);
    release();
    await page.locator('#state-text').getByText('paused while text is selected').waitFor();
    expect(await page.evaluate('String(getSelection())')).toContain('Rates');
    expect(problems).toEqual([]);
  });

  test('a grouping that was chosen before anything was spent stays, and so does the focus', async () => {
    const { ask, url } = await openConsole();
    const { page, problems } = await visit(browser(), url);
    const selected = page.locator('#dimensions [aria-pressed="true"]');
    // No client has a name.
    await selected.getByText('Operation').waitFor();
    await page.click('text="Dataset"');
    await ask(RATES);
    await page.locator('#spenders tbody').getByText('fx rates').waitFor();
    expect(await selected.allTextContents()).toEqual(['Dataset']);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Dataset');
    expect(problems).toEqual([]);
  });
});
