import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hasBrowser } from '../browser.ts';
import { contrast } from '../contrast.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, editor, run, SANDBOX, search, visit } from './studio-visit.ts';

/** The Studio by keyboard, with a screen reader, and for people who need contrast. */

const QUERY = `# a comment
query All($pair: CurrencyPair = "USDTRY") {
  fxRate(pair: $pair) @include(if: true) { history(last: 5) { points { date value } } }
}`;

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);

  test('an editor that is reached by Tab says what it is, and how to enter and leave it', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    for (const name of ['Query editor', 'Variables editor']) {
      const frame = page.getByRole('group', { name });
      expect(await frame.getAttribute('aria-description')).toContain('Press Enter to edit');
      await frame.press('Enter');
      expect(await frame.locator('textarea:focus').count()).toBe(1);
      await page.keyboard.press('Control+M');
      await page.keyboard.press('Tab');
      expect(await frame.locator(':focus').count()).toBe(0);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Control+M');
    }
  });

  test('the documentation takes the focus from its button, and gives it back', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    const button = page.getByRole('button', { name: 'Docs' });
    await button.press('Enter');
    expect(await focused(page)).toBe('docs-close');
    await page.keyboard.press('Enter');
    expect(await page.locator('#docs').isVisible()).toBe(false);
    expect(await focused(page)).toBe('docs-button');
  });

  test('in the documentation, the search has an accessible name, and icons have none', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByRole('combobox', { name: 'Search the documentation' }).waitFor();
    await page.locator('#docs').getByText('Root Types').waitFor();
    const docsSnapshot = await page.locator('#docs').ariaSnapshot();
    expect(docsSnapshot).toContain('Root Types');
    expect(docsSnapshot).not.toMatch(/\bicon\b/);
  });

  test.each(['light', 'dark'] as const)('a query has enough contrast: %s', async (colorScheme) => {
    const { page } = await visit(browser(), {
      context: { colorScheme },
      search: search({ query: QUERY }),
    });
    await page.locator('#query .bracket-highlighting-2').first().waitFor();
    const paper = await page
      .locator('#ask')
      .evaluate((one) => getComputedStyle(one).backgroundColor);
    const inks = await page
      .locator('#query .view-line span span')
      .evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).color))]);
    expect(inks.length).toBeGreaterThan(4);
    expect(inks.filter((ink) => contrast(ink, paper) < 4.5)).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('fields have enough contrast: %s', async (colorScheme) => {
    const file = join(temporaryFolder(), 'clients.json');
    const clients = [{ name: 'web', keys: [`sha256:${digestOf(newKey())}`] }];
    writeFileSync(file, JSON.stringify({ clients }));
    const { page } = await visit(browser(), {
      env: { CLIENTS_FILE: file },
      context: { colorScheme },
      hold: '**/mount-*.js',
    });
    await page.locator('#key').waitFor();
    const { paper, border, hints } = await page.evaluate(() => ({
      paper: getComputedStyle(document.getElementById('answer')!).backgroundColor,
      border: getComputedStyle(document.getElementById('key')!).borderTopColor,
      hints: ['key', 'headers-text'].map(
        (id) => getComputedStyle(document.getElementById(id)!, '::placeholder').color,
      ),
    }));
    expect(contrast(border, paper)).toBeGreaterThanOrEqual(3);
    expect(hints.filter((ink) => contrast(ink, paper) < 4.5)).toEqual([]);
  });

  test('problems are announced as a list', async () => {
    const { page } = await visit(browser(), { env: SANDBOX, search: search({ query: '{ no }' }) });
    await run(page).click();
    const list = page.getByRole('alert').getByRole('list');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  });

  test('in a high-contrast mode, the names of lines have the colors of the lines', async () => {
    const { page } = await visit(browser(), {
      env: SANDBOX,
      context: { forcedColors: 'active' },
    });
    await ask(page, 'The lira against');
    const keys = page.locator('.key');
    await keys.first().waitFor();
    const colors = await keys.evaluateAll((all) =>
      all.map((one) => getComputedStyle(one, '::before').borderTopColor),
    );
    expect(new Set(colors).size).toBe(3);
  });

  test('what scrolls sideways can be reached by Tab, and tables of one page have different names', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await ask(page, 'The lira against');
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.focus();
    expect(await summary.evaluate((one) => one === document.activeElement)).toBe(true);
    await ask(page, 'Market page');
    const all = page.getByRole('region', { name: 'All' });
    await all.getByRole('region', { name: 'rates' }).waitFor();
    const names = await all
      .getByRole('region')
      .evaluateAll((regions) => regions.map((one) => one.getAttribute('aria-label')));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(['History', 'Share', 'Sandbox'])('a menu is a landmark: %s', async (name) => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await page.locator('header').getByRole('button', { name }).click();
    expect(await page.getByRole('region', { name }).isVisible()).toBe(true);
  });
});
