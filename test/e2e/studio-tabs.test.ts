import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { cost, editor, price, run, search, visit } from './studio-visit.ts';

/** What the Studio remembers, and that it takes nothing for something else. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('what other tabs of the browser have written is kept, and nonsense is as good as nothing', async () => {
    const { page, complaints } = await visit(browser());
    const own = async (name: string, within = page) => {
      await within.getByRole('button', { name: 'New query' }).click();
      await editor(within).click();
      await within.keyboard.press('ControlOrMeta+A');
      await within.keyboard.insertText(`query ${name} { __typename }`);
      await within.getByRole('navigation').getByRole('button', { name }).waitFor();
    };
    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate('void window.open(location.href)'),
    ]);
    await editor(other).waitFor();
    await editor(page).waitFor();
    await own('Precious');
    await own('Another', other);
    await page.reload();
    for (const name of ['Precious', 'Another'])
      await page.getByRole('navigation').getByRole('button', { name }).waitFor();
    for (const nonsense of [
      'null',
      '{"drafts":null,"own":null,"fresh":null}',
      '{"drafts":{"lira":7},"own":[null,{}],"history":[null,{"query":"{a}"}],"fresh":{"a":"b"}}',
    ]) {
      await page.evaluate(`localStorage.setItem('marketgraph:studio', '${nonsense}')`);
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

  test('names of fields are no words of the page', async () => {
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

  test('an answer is that of the question that was run, whatever was written meanwhile', async () => {
    const query = '{ fxRates(first: 1) { nodes { pair } } }';
    const { page } = await visit(browser(), { search: search({ query }) });
    await editor(page).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', (route) => held.promise.then(() => route.continue()));
    await run(page).click();
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('{ cryptoAssets(first: 7) { nodes { symbol } } }');
    await page.waitForFunction("document.querySelector('#run-word').textContent === 'Running…'");
    await editor(page).getByText('cryptoAssets').waitFor();
    held.resolve();
    await cost(page).getByText('1 FX unit').waitFor();
    const stored = await page.evaluate(`localStorage.getItem('marketgraph:studio')`);
    expect(JSON.parse(String(stored))).toMatchObject({
      history: [{ query }],
      fresh: { 'fields fxRates': expect.any(Number) },
    });
    await run(page).getByText('Run', { exact: true }).waitFor();
  });
});
