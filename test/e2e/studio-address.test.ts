import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, chart, editor, SANDBOX, search, visit } from './studio-visit.ts';

/** The address of the Studio, and the browser's history. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const waitForHeading = (page: Page, name: string) =>
    page.getByRole('heading', { name }).waitFor();

  test('every question has its own address, to which a reload and a copied link return', async () => {
    const link = search({ query: 'query Shared { fxRate(pair: "EURUSD") { pair } }' });
    const { page, url } = await visit(browser(), { env: SANDBOX, search: link });
    await waitForHeading(page, 'Shared');
    expect(page.url()).toBe(url + link);
    await ask(page, 'Top gainers');
    await waitForHeading(page, 'Top gainers');
    const { search: query, hash } = new URL(page.url());
    expect([query, hash]).toEqual(['', '#gainers']);
    await page.reload();
    await waitForHeading(page, 'Top gainers');
    await page.goto('about:blank');
    await page.goto(`${url}#laws`);
    await waitForHeading(page, 'What changed in Turkish law?');
  });

  test('Back leads to the previous question, and Forward to the next', async () => {
    const link = search({ query: 'query Shared { fxRate(pair: "EURUSD") { pair } }' });
    const { page, url } = await visit(browser(), { env: SANDBOX, search: link });
    await waitForHeading(page, 'Shared');
    const gainers = page.getByRole('columnheader', { name: /change 24h/ });
    await ask(page, 'Top gainers');
    await ask(page, 'All rates against the lira');
    await page.goBack();
    await waitForHeading(page, 'Top gainers');
    await gainers.waitFor();
    await page.reload();
    await waitForHeading(page, 'Top gainers');
    await page.goBack();
    await waitForHeading(page, 'Shared');
    expect(page.url()).toBe(url + link);
    await page.goForward();
    await waitForHeading(page, 'Top gainers');
  });

  test('skip links leave the question in the address', async () => {
    const { page, url } = await visit(browser(), { env: SANDBOX, search: '#gainers' });
    await waitForHeading(page, 'Top gainers');
    for (const [name, id] of [
      ['Skip to the query', 'ask'],
      ['Skip to the answer', 'answer'],
    ] as const) {
      await page.getByRole('link', { name }).press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe(id);
      expect(page.url()).toBe(`${url}#gainers`);
    }
  });

  test('a question that was removed leaves no address in the history', async () => {
    const { page, url } = await visit(browser(), { env: SANDBOX, search: '#gainers' });
    await waitForHeading(page, 'Top gainers');
    await page.getByRole('button', { name: 'New query' }).click();
    await waitForHeading(page, 'New query');
    await ask(page, 'All rates against the lira');
    await waitForHeading(page, 'All rates against the lira');
    const rates = page.url();
    await page.goBack();
    await waitForHeading(page, 'New query');
    await page.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => page.url()).not.toContain('#own-');
    const first = page.url();
    await page.goForward();
    await waitForHeading(page, 'All rates against the lira');
    expect(page.url()).toBe(rates);
    await page.goBack();
    expect(page.url()).toBe(first);
    expect(first.startsWith(`${url}#`)).toBe(true);
  });

  test('changes to the question of a link are still there when one returns to it', async () => {
    const link = search({ query: 'query Shared { fxRate(pair: "EURUSD") { pair } }' });
    const { page, url } = await visit(browser(), { env: SANDBOX, search: link });
    await editor(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('query Mine { fxRates { totalCount } }');
    await page.getByRole('button', { name: 'Undo changes' }).waitFor();
    await ask(page, 'Top gainers');
    await waitForHeading(page, 'Top gainers');
    await page.goBack();
    await editor(page).getByText('Mine').waitFor();
    await page.reload();
    await editor(page).getByText('Mine').waitFor();
    await page.goto(url + search({ query: 'query Other { fxRates { totalCount } }' }));
    await editor(page).getByText('Other').waitFor();
    await page.goBack();
    await editor(page).getByText('Mine').waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await editor(page).getByText('EURUSD').waitFor();
    expect(await page.getByRole('button', { name: 'Undo changes' }).isVisible()).toBe(false);
  });

  test('a question that is chosen while the full editor loads runs by itself', async () => {
    const { page, url, release } = await visit(browser(), { env: SANDBOX, hold: '**/mount-*.js' });
    await chart(page).waitFor();
    const priced = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      if (route.request().headers()['x-usage-dry-run']) await priced.promise;
      await route.continue();
    });
    await ask(page, 'Top gainers');
    release();
    await editor(page).waitFor();
    priced.resolve();
    await page.getByRole('columnheader', { name: /change 24h/ }).waitFor();
    expect(new URL(page.url()).hash).toBe('#gainers');
  });
});
