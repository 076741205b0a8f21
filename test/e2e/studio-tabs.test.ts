import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { cost, editor, price, run, search, visit } from './studio-visit.ts';

/** What the Studio remembers, and that it mixes nothing up. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const listed = (page: Page, name: string) =>
    page
      .getByRole('navigation')
      .locator('section', { has: page.getByRole('heading', { name: 'Yours' }) })
      .getByRole('button', { name, exact: true })
      .waitFor();

  async function write(page: Page, text: string) {
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }

  async function own(page: Page, name: string) {
    await page.getByRole('button', { name: 'New query' }).click();
    await write(page, `query ${name} { __typename }`);
    await listed(page, name);
  }

  async function tabOf(page: Page) {
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate('void window.open(location.href)'),
    ]);
    await editor(tab).waitFor();
    await editor(page).waitFor();
    return tab;
  }

  test('what other tabs of the browser have stored is kept, and nonsense in the storage is ignored', async () => {
    const { page, complaints } = await visit(browser());
    const other = await tabOf(page);
    await own(page, 'Precious');
    await own(other, 'Another');
    await page.reload();
    for (const name of ['Precious', 'Another']) await listed(page, name);
    for (const invalid of [
      'null',
      '{"drafts":null,"own":null,"fresh":null}',
      '{"drafts":{"lira":7},"own":[null,{}],"history":[null,{"query":"{a}"}],"fresh":{"a":"b"}}',
    ]) {
      await page.evaluate(`localStorage.setItem('marketgraph:studio', '${invalid}')`);
      await page.reload();
      await price(page)
        .getByText(/Asks the upstream|Nothing/)
        .waitFor();
    }
    await run(page).click();
    await cost(page).getByText('Cost 2 FX units').waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.locator('#history-list').getByText('The dollar in lira').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a question that another tab removes is kept by the tab that goes on with it', async () => {
    const { page } = await visit(browser());
    await editor(page).waitFor();
    await own(page, 'Shared');
    const other = await tabOf(page);
    await other.getByRole('button', { name: 'Remove' }).click();
    await write(page, 'query Kept { __typename }');
    await listed(page, 'Kept');
    await page.reload();
    await listed(page, 'Kept');
    await editor(page).getByText('Kept').waitFor();
    expect(await page.getByRole('heading', { name: 'Kept' }).count()).toBe(1);
  });

  test('the choice among several operations survives a reload', async () => {
    const query = 'query One { usage { fx { limit } } } query Other { usage { macro { limit } } }';
    const { page } = await visit(browser(), { search: search({ query }) });
    const operation = page.getByLabel('Operation to run');
    await operation.selectOption('Other');
    await page.reload();
    await editor(page).waitFor();
    expect(await operation.inputValue()).toBe('Other');
    await page.getByRole('button', { name: 'Undo changes' }).click();
    expect(await operation.inputValue()).toBe('One');
    // A query of one's own is named after the operation that it runs.
    await page.getByRole('button', { name: 'New query' }).click();
    await write(page, query);
    await listed(page, 'One');
    await operation.selectOption('Other');
    await page.getByRole('heading', { name: 'Other' }).waitFor();
    await page.reload();
    await editor(page).waitFor();
    expect(await operation.inputValue()).toBe('Other');
  });

  test('names and values in a query are not interpreted by the page', async () => {
    const variables = JSON.stringify({ p: '[key](https://evil.example/)' });
    const query = `query Odd($p: CurrencyPair!) {
  constructor: fxRate(pair: $p) { retrievedAt: pair }
  __proto__: fxRate(pair: "USDTRY") { retrievedAt: pair }
}`;
    const { page } = await visit(browser(), { search: search({ query, variables }) });
    await page.locator('.cost-over').first().hover();
    const hover = page.locator('.monaco-hover-content');
    await hover.getByText('evil.example').waitFor();
    expect(await hover.locator('a').count()).toBe(0);
    expect(await price(page).innerText()).not.toContain('NaN');
    await run(page).click();
    await page.locator('#problems').getByText('evil.example').waitFor();
    expect(await cost(page).innerText()).not.toContain('NaN');
  });

  test('an answer belongs to the query that was run, whatever was typed meanwhile', async () => {
    const query = '{ fxRates(first: 1) { nodes { pair } } }';
    const { page } = await visit(browser(), { search: search({ query }) });
    await editor(page).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', (route) => held.promise.then(() => route.continue()));
    await run(page).click();
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('{ cryptoAssets(first: 7) { nodes { symbol } } }');
    await editor(page).getByText('cryptoAssets').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    held.resolve();
    await cost(page).getByText('1 FX unit').waitFor();
    const stored = await page.evaluate(`localStorage.getItem('marketgraph:studio')`);
    expect(JSON.parse(String(stored))).toMatchObject({
      history: [{ query }],
      fresh: { [JSON.stringify([query, ''])]: expect.any(Number) },
    });
    await run(page).getByText('Run', { exact: true }).waitFor();
  });
});
