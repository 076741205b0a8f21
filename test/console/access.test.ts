import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { contrast } from '../contrast.ts';
import { oneBrowser } from '../one-browser.ts';
import { COINS, lateInMonth, openConsole, RATES } from './gateway.ts';
import { visit } from './visit.ts';

/** The console by keyboard, with a screen reader, on paper, and for people who need contrast. */

/** From now on, collects what a screen reader reads out: the text of each live region that is set. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  const spoken = await page.evaluateHandle(() => {
    const texts: string[] = [];
    const regionOf = (node: Node) =>
      (node instanceof Element ? node : node.parentElement)?.closest(
        '[role="status"], [role="alert"], [aria-live]',
      );
    new MutationObserver((changes) => {
      for (const region of new Set(changes.map(({ target }) => regionOf(target))))
        if (region) texts.push(region.textContent.trim());
    }).observe(document, { subtree: true, childList: true, characterData: true });
    return texts;
  });
  return () => spoken.jsonValue();
}

/** Waits until a report has been drawn that was asked for later than now. */
async function nextReport(page: Page): Promise<void> {
  await page.waitForRequest('**/report.json*');
  // The next request is sent only after the answer to this one has been drawn.
  await page.waitForRequest('**/report.json*');
}

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('a screen reader says once that the gateway no longer answers, and nothing while all is well', async () => {
    const { ask, url, close } = await openConsole();
    await ask(RATES);
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const spoken = await listen(page);
    const before = await page.innerText('#state');
    await nextReport(page);
    expect(await spoken()).toEqual([]);
    // The time goes on all the same.
    expect(await page.innerText('#state')).not.toBe(before);

    await close();
    await page.waitForSelector('#state[data-kind="away"]');
    await nextReport(page);
    expect(await spoken()).toEqual(['the gateway does not answer']);
  });

  test('cells stay in the page while reports arrive, so that a screen reader keeps its place', async () => {
    const { ask, url } = await openConsole();
    await ask(RATES);
    await ask(COINS);
    const { page } = await visit(browser(), url);
    const crypto = page.locator('#datasets tbody tr', { hasText: 'crypto' });
    await crypto.waitFor();
    const cells = await page.evaluateHandle(() => [...document.querySelectorAll('th, td')]);
    const isAllThere = () => cells.evaluate((all) => all.every((one) => one.isConnected));
    await nextReport(page);
    expect(await isAllThere()).toBe(true);
    // Nor is a cell replaced if its figure changes.
    await ask(COINS);
    await crypto.locator('td').first().getByText('2', { exact: true }).waitFor();
    expect(await isAllThere()).toBe(true);
  });

  test('the button that leads to the last month keeps the focus, and does nothing more', async () => {
    const { url } = await openConsole({}, lateInMonth);
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    await page.locator('#earlier').press('Enter');
    await page.locator('#month').getByText('October 2026').waitFor();
    const later = page.locator('#later');
    await later.press('Enter');
    await page.locator('#month').getByText('November 2026').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('later');
    expect(await later.isDisabled()).toBe(true);
    expect(await later.evaluate((one) => getComputedStyle(one).opacity)).toBe('0.35');
    const { search } = new URL(page.url());
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).search).toBe(search);
    await page.locator('#earlier').press('Enter');
    await page.locator('#month').getByText('October 2026').waitFor();
    expect(await later.isDisabled()).toBe(false);
  });

  test('in a high-contrast mode, the names of lines have the colors of the lines', async () => {
    const { url } = await openConsole();
    const { page } = await visit(browser(), url, { forcedColors: 'active' });
    const keys = page.locator('article:first-child .key');
    await keys.first().waitFor();
    const colors = await keys.evaluateAll((all) =>
      all.map((one) => getComputedStyle(one, '::before').borderTopColor),
    );
    expect(new Set(colors).size).toBe(3);
  });

  test.each(['light', 'dark'] as const)(
    'the edge of the token field can be seen: %s',
    async (colorScheme) => {
      const { url } = await openConsole({ ADMIN_TOKEN: 'the-token' });
      const { page } = await visit(browser(), url, { colorScheme });
      await page.locator('#token').waitFor();
      const { edge, inside, outside } = await page.locator('#token').evaluate((one) => ({
        edge: getComputedStyle(one).borderTopColor,
        inside: getComputedStyle(one).backgroundColor,
        outside: getComputedStyle(document.body).backgroundColor,
      }));
      expect(contrast(edge, inside)).toBeGreaterThan(3);
      expect(contrast(edge, outside)).toBeGreaterThan(3);
    },
  );

  test('on paper, there is no block of color behind the summary', async () => {
    const { url } = await openConsole();
    const { page } = await visit(browser(), url);
    await page.emulateMedia({ media: 'print' });
    const color = await page
      .locator('#summary')
      .evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(color).toBe('rgba(0, 0, 0, 0)');
  });
});
