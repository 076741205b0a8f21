import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { editor, SANDBOX, search, visit } from './studio-visit.ts';

/** What the Studio's editor and documentation know of the schema. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('the documentation begins with what the schema says of itself', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    const words = page.locator('#docs').getByText('Market data from two metered APIs');
    await words.waitFor();
    expect(await words.textContent()).toContain('extensions.usage');
  });

  test('the fields of an argument are documented, and only a wrong one is marked as an error', async () => {
    const filter = '{ interval: ONE_DAY, nonsense: 1 }';
    const query = `{ cryptoAssets(filter: ${filter}) { nodes { symbol } } }`;
    const { page } = await visit(browser(), { search: search({ query }) });
    await page.locator('#query .squiggly-error').first().waitFor();
    expect(await page.locator('#query .squiggly-error').count()).toBe(1);
    expect(await page.locator('#query .squiggly-warning').count()).toBe(0);
    await page.getByRole('button', { name: 'Docs' }).click();
    const docs = page.locator('#docs');
    await docs.getByRole('link', { name: 'CryptoAssetFilter' }).first().click();
    await docs.getByRole('link', { name: 'interval', exact: true }).waitFor();
  });
});
