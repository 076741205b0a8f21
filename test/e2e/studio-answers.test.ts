import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, launchBrowser } from '../browser.ts';
import { SANDBOX, search, visit } from './studio-visit.ts';

/** Answers as people see them in the Studio's pane. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const open = (query: string) => visit(browser, { env: SANDBOX, search: search({ query }) });

  test('of several lists the one that is shown is named, and another can be chosen', async () => {
    const { page } = await open(
      '{ fxRates { nodes { pair } } cryptoAssets(first: 3) { nodes { symbol } } }',
    );
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();
    const list = page.getByRole('combobox', { name: 'List' });
    expect(await list.locator('option:checked').textContent()).toBe('fxRates');
    await list.selectOption({ label: 'cryptoAssets' });
    await page.getByRole('cell', { name: 'BTC' }).waitFor();
  });
});
