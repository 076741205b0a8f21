import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, cost, SANDBOX, search, visit } from './studio-visit.ts';

/** Live updates do not disturb the current view. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const ENV = { ...SANDBOX, TTL_CRYPTO: '1', TTL_FX_RATES: '1' };

  test('JSON keeps its scroll position, open parts and focus', async () => {
    const { page } = await visit(browser(), { env: ENV });
    await ask(page, 'Crypto prices, live');
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByText('extensions: cost and warnings').click();
    await page.locator('.json-view pre').first().focus();
    const seen = () =>
      page.locator('.json-view').evaluate((view) => ({
        scrolled: view.scrollTop,
        isOpen: view.querySelector('details')?.open,
        hasFocus: view.contains(document.activeElement),
      }));
    await page.locator('.json-view').evaluate((view) => view.scrollTo(0, 50));
    const text = await page.locator('.json-view pre').first().textContent();
    await expect.poll(() => page.locator('.json-view pre').first().textContent()).not.toBe(text);
    expect(await seen()).toEqual({ scrolled: 50, isOpen: true, hasFocus: true });
  });

  test('a chart keeps its type, zoom and the values under the pointer, and buttons keep the focus', async () => {
    const query =
      'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair buying history(last: 200) { points { date value } } } }';
    const { page } = await visit(browser(), { env: ENV, search: search({ query }) });
    const weeks = page.getByRole('button', { name: 'Weekly candles' });
    await weeks.click();
    let box: Awaited<ReturnType<Locator['boundingBox']>> = null;
    const plot = page.locator('.u-over');
    // An update may replace it while it is measured.
    await expect.poll(async () => (box = await plot.boundingBox())).not.toBeNull();
    const { x, y, width } = box!;
    await page.mouse.move(x + 50, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + 200, y + 50);
    await page.mouse.up();
    await weeks.focus();
    const pointedDay = async () => (await page.locator('.readout').textContent())?.split(':')[0];
    /** The days under the pointer on its way along the chart. */
    const days = async () => {
      const seen = [];
      for (let right = 5; right < width; right += 10) {
        await page.mouse.move(x + right, y + 50);
        seen.push(await pointedDay());
      }
      return seen;
    };
    const before = await days();
    expect(before).not.toContain('');
    for (let updates = 0; updates < 2; updates += 1) {
      const price = await cost(page).textContent();
      await expect.poll(() => cost(page).textContent()).not.toBe(price);
      expect(await pointedDay()).toBe(before.at(-1));
    }
    expect(await days()).toEqual(before);
    expect(await weeks.getAttribute('aria-pressed')).toBe('true');
    expect(await weeks.evaluate((one) => one === document.activeElement)).toBe(true);
  });
});
