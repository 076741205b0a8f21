import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { connect } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { cost, editor, price, run, search, setHidden, visit } from './studio-visit.ts';

/** How often the Studio asks what an operation would cost. */

const TWO_FIELDS = `{
  fxRates { nodes { pair } }
  cryptoAssets(first: 1) { nodes { symbol } }
}`;

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  function countDryRuns(page: Page): () => number {
    let count = 0;
    page.on('request', (request) => {
      if (request.headers()['x-usage-dry-run']) count += 1;
    });
    return () => count;
  }

  /**
   * Installs a clock that the test moves. It records no performance measures, but the editor reads them, so they are
   * faked.
   */
  async function installClock(page: Page) {
    await page.clock.install();
    const measure = () => {
      performance.getEntriesByName = (name) => [performance.measure(name)];
    };
    await page.addInitScript(measure);
    await page.evaluate(measure);
  }

  /** Opens a page, and returns how many dry runs it sends until it is complete, the full editor included. */
  async function countDryRunsOnOpen(page: Page, url: string) {
    await page.goto('about:blank');
    const dryRuns = countDryRuns(page);
    await page.goto(url + search({ query: TWO_FIELDS }));
    await editor(page).waitFor();
    await page.locator('.cost-paid, .cost-free').nth(1).waitFor({ state: 'attached' });
    // Dry runs that are scheduled by then are sent, too.
    await page.clock.runFor(1000);
    return dryRuns();
  }

  test('prices are asked for once when the page opens, and not by field if all is free', async () => {
    const { page, url } = await visit(browser());
    await installClock(page);
    expect(await countDryRunsOnOpen(page, url)).toBe(3);
    await connect(url).get(TWO_FIELDS);
    // One before the query runs by itself, and one after.
    expect(await countDryRunsOnOpen(page, url)).toBe(2);
  });

  test('fields that share a line are priced together, and one that is refused is not hidden', async () => {
    const rates = 'cryptoAssets(first: 1) { nodes { symbol } } fxRates { nodes { pair } }';
    const refused = 'bad: fxRate(pair: "US") { pair }';
    const query = `{ ${rates}\n  ${refused} health { ok }\n}`;
    const { page } = await visit(browser(), { search: search({ query }) });
    const lines = page.locator('#query .line-numbers');
    await page.locator('#query .cost-over').waitFor();
    // Lines that do not fit are wrapped: the rest of them has no number.
    const notes = (await lines.allTextContents()).filter(Boolean);
    expect(notes).toEqual(['1 cr, 1 FX', 'refused', '3']);
  });

  test('how long an answer is free is said only of what was run', async () => {
    const past =
      '{ legislationChanges(filter: { start: "2026-09-01", end: "2026-10-20" }) { totalCount } }';
    const { page, url, sandbox } = await visit(browser(), { search: search({ query: past }) });
    await price(page).getByText('Asking again right away costs nothing').waitFor();
    await run(page).click();
    await cost(page).getByText('Cost 1 credit').waitFor();
    await page.goto(url + search({ query: '{ legislationChanges { totalCount } }' }));
    await price(page).getByText('Asking again right away costs nothing').waitFor();
    expect(sandbox.spent().credits).toBe(1);
  });

  test('what fragments cost is not written beside the only field', async () => {
    const rest = 'fxRates { nodes { pair } } cryptoAssets(first: 1) { nodes { symbol } }';
    const query = `{\n  usage { fx { usedThisMonth } }\n  ...Rest\n}\nfragment Rest on Query { ${rest} }`;
    const { page } = await visit(browser(), { search: search({ query }) });
    await price(page).getByText('1 FX unit, 1 credit').waitFor();
    await page.locator('#query .cost-free', { hasText: 'free' }).waitFor();
    expect(await page.locator('#query .cost-paid').count()).toBe(0);
  });

  test('of more fields than are priced one by one, not all need be refused', async () => {
    const cached = Array.from({ length: 8 }, (_, i) => `f${i}: fxRate(pair: "USDTRY") { mid }`);
    const query = `{ ${cached.join(' ')} x: fxRate(pair: "GBPTRY") { history { change } } }`;
    const env = { FX_MONTHLY_LIMIT: '1', SPENDING: 'free' };
    const { page, url } = await visit(browser(), { env });
    await connect(url).get('{ fxRates { totalCount } }');
    await page.goto(url + search({ query }));
    await price(page).getByText('Will be refused, at least in part: The monthly quota').waitFor();
    expect(await page.getByRole('button', { name: 'Run refused' }).count()).toBe(0);
  });

  test('a hidden page asks for no price until it is visible', async () => {
    const { page, url } = await visit(browser(), { search: search({ query: TWO_FIELDS }) });
    await price(page).getByText('Asks the upstream').waitFor();
    await editor(page).waitFor();
    await connect(url).get(TWO_FIELDS);
    await installClock(page);
    await setHidden(page, true);
    const dryRuns = countDryRuns(page);
    await editor(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('query Rates { fxRates { nodes { pair } } }');
    await page.clock.runFor(1000);
    expect(dryRuns()).toBe(0);
    await setHidden(page, false);
    await price(page).getByText('Costs nothing now').waitFor();
    expect(dryRuns()).toBe(1);
  });
});
