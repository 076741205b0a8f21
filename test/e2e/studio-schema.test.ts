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

  test('that the editor could not be loaded is said, and the plain one goes on', async () => {
    const { page, complaints } = await visit(browser(), { env: SANDBOX, hold: '**/mount-*.js' });
    await page.route('**/mount-*.js', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByRole('img', { name: /^USD/ }).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.locator('#docs').getByText('could not be loaded. Reload the page').waitFor();
    await page
      .getByRole('textbox', { name: 'Query' })
      .fill('{ fxRates(first: 1) { nodes { pair } } }');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByRole('cell').first().waitFor();
    expect(complaints.filter((each) => !each.includes('404'))).toEqual([]);
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
