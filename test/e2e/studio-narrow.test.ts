import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { price, run, SANDBOX, search, visit } from './studio-visit.ts';

/** In a narrow window the bar with the price and Run is always at hand, and never covers what one needs. */

const FIELDS = Array.from({ length: 12 }, (_, i) => `noSuchFieldAtAllNumber${i}`).join(' ');
/** The price of this one is a long refusal. */
const LONG = search({
  query: `{ cryptoAssets(filter: { ${FIELDS.replaceAll(' ', ': 1, ')}: 1 }) { nodes { symbol } } }`,
});
const ZOOMED = { viewport: { width: 320, height: 256 } };
const PHONE = { viewport: { width: 360, height: 640 } };

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  /** Whether the middle of what matches can be seen, and is not covered. */
  const isSeen = (page: Page, selector: string) =>
    page.locator(selector).evaluate((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    });

  test.each([
    ['zoomed in', ZOOMED],
    ['on a phone', PHONE],
  ])('a long price does not cover the variables: %s', async (_, context) => {
    const { page } = await visit(browser(), { search: LONG, context });
    await price(page).getByText('noSuchField').waitFor();
    await page.locator('#variables-text').evaluate((one) => one.scrollIntoView({ block: 'end' }));
    await expect.poll(() => isSeen(page, '#variables-text')).toBe(true);
  });

  test.each([
    ['zoomed in', { env: SANDBOX, search: '#rates', context: ZOOMED }],
    ['on a phone', { search: LONG, context: PHONE }],
  ])('what Tab reaches is not under the bar: %s', async (_, where) => {
    const { page } = await visit(browser(), where);
    await run(page).waitFor();
    await price(page)
      .getByText(/noSuchField|Costs nothing now/)
      .waitFor();
    const covered: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press('Tab');
      covered.push(
        ...(await page.evaluate(() => {
          const [one, bar] = [document.activeElement!, document.getElementById('pay')!];
          const [inner, outer] = [one.getBoundingClientRect(), bar.getBoundingClientRect()];
          const isUnder = !bar.contains(one) && inner.top >= outer.top && inner.top < outer.bottom;
          return isUnder && one !== document.body ? [one.id || (one.textContent ?? '')] : [];
        })),
      );
    }
    expect(covered).toEqual([]);
  });

  test('on a phone, Run is in reach wherever the page is scrolled to', async () => {
    const { page } = await visit(browser(), { search: LONG, context: PHONE });
    await price(page).getByText('noSuchField').waitFor();
    expect(await isSeen(page, '#run')).toBe(true);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    expect(await isSeen(page, '#run')).toBe(true);
    expect((await page.locator('#pay').boundingBox())!.height).toBeLessThanOrEqual(112);
  });

  test('on a phone the query hardly moves when the answer comes', async () => {
    const { page } = await visit(browser(), { context: PHONE, search: '#rates' });
    await price(page).getByText('Asks the upstream').waitFor();
    const shifts = await page.evaluateHandle(() => {
      const found = { sum: 0 };
      const add = ({ value }: PerformanceEntry & { value?: number }) => (found.sum += value ?? 0);
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(add));
      observer.observe({ type: 'layout-shift' });
      return found;
    });
    await run(page).click();
    await page.locator('.table-view').waitFor();
    // Shifts are reported after the picture has been painted.
    const sum = await shifts.evaluate(async (found) => {
      for (let i = 0; i < 10; i += 1) await new Promise(requestAnimationFrame);
      return found.sum;
    });
    expect(sum).toBeLessThan(0.1);
  });
});
