import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { chart, editor, SANDBOX, visit } from './studio-visit.ts';

/** What has the focus keeps it when parts of the page are replaced or moved. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test.each(['Variables', 'Headers'])(
    'typing goes on in the same part when the full editor has loaded: %s',
    async (name) => {
      const { page, release } = await visit(browser(), { env: SANDBOX, hold: '**/mount-*.js' });
      // By then the page's own script runs.
      await chart(page).waitFor();
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('textbox', { name: `${name}, as JSON` }).fill('{"a": }');
      await page.keyboard.press('ArrowLeft');
      release();
      await editor(page).waitFor();
      const part = name.toLowerCase();
      await expect.poll(() => page.locator(`#${part}-text`).count()).toBe(0);
      await page.keyboard.insertText('12');
      await page.locator(`#${part} .view-line`).getByText('{"a": 12}').waitFor();
    },
  );

  test('a button of the answer keeps the focus when the window gets narrow, and wide again', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'Table' }).focus();
    for (const [width, order] of [
      [640, 'answer,ask'],
      [1280, 'ask,answer'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      const ids = () =>
        page.locator('main > section').evaluateAll((all) => all.map(({ id }) => id).join());
      await expect.poll(ids).toBe(order);
      expect(await focused(page)).toBe('Table');
    }
  });
});
