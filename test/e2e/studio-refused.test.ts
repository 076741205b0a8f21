import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hasBrowser } from '../browser.ts';
import { connect, temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { cost, price, run, search, visit } from './studio-visit.ts';

/** What the Studio says about an operation that will be refused, and about a missing key. */

const RATES = '{ fxRates { nodes { pair } } }';
const HISTORY = '{ fxRate(pair: "GBPTRY") { history { points { date value } } } }';
const COINS = `{
  cryptoAssets(first: 1) { nodes { symbol } }
  fxRate(pair: "GBPTRY") { history { points { date value } } }
}`;
const BOTH = `{
  fxRates { nodes { pair } }
  fxRate(pair: "GBPTRY") { history { points { date value } } }
}`;

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const open = (page: Page, url: string, query: string) => page.goto(url + search({ query }));
  const gutter = (page: Page) => page.locator('.cost-over, .cost-free, .cost-paid');

  test('if the quota of the month is used up, it says so, and runs nothing by itself', async () => {
    const env = { FX_MONTHLY_LIMIT: '1', SPENDING: 'free' };
    const { page, url } = await visit(browser(), { env, search: search({ query: RATES }) });
    await price(page).getByText('Asks the upstream').waitFor();
    await connect(url).get(RATES);
    await open(page, url, HISTORY);
    await price(page)
      .getByText(/Will be refused: The monthly quota is used up.*; resets at/)
      .waitFor();
    await page.getByRole('button', { name: 'Run refused' }).waitFor();
    await page.locator('.cost-over', { hasText: 'refused' }).waitFor();
    expect(await cost(page).getByRole('status').textContent()).toBe('');
    await open(page, url, BOTH);
    await price(page).getByText('Refused in part: The monthly quota is used up').waitFor();
    await expect.poll(() => gutter(page).allTextContents()).toEqual(['free', 'refused']);
    await open(page, url, COINS);
    const note = /^Refused in part: The monthly quota is used up.* The rest costs 1 credit\.$/;
    await price(page).getByText(note).waitFor();
  });

  test('a price that could not be fetched is asked for again', async () => {
    const { page, url } = await visit(browser(), { search: search({ query: RATES }) });
    await price(page).getByText('Asks the upstream').waitFor();
    await page.route(url, (route) => route.abort());
    await open(page, url, HISTORY);
    await page.waitForEvent('requestfailed');
    await price(page).getByText('The gateway does not answer.').waitFor();
    await page.unroute(url);
    await price(page).getByText('Asks the upstream').waitFor();
    expect(await price(page).innerText()).not.toContain('does not answer');
  });

  test.each(['OVERLOADED', 'CLIENT_RATE_EXCEEDED'])(
    'a price that was refused with %s is asked for again',
    async (code) => {
      const { page, url } = await visit(browser(), { search: search({ query: RATES }) });
      await price(page).getByText('Asks the upstream').waitFor();
      const json = { errors: [{ message: 'overloaded', extensions: { code } }] };
      await page.route(url, (route) => route.fulfill({ status: 503, json }));
      await open(page, url, HISTORY);
      await price(page).getByText('overloaded').waitFor();
      await page.unroute(url);
      await price(page).getByText('Asks the upstream').waitFor();
      expect(await price(page).innerText()).not.toContain('overloaded');
    },
  );

  /** Opens the Studio of a gateway that serves clients with this key, for one FX unit a day. */
  function visitWith(key: string, at: string) {
    const file = join(temporaryFolder(), 'clients.json');
    const budgets = [{ meter: 'FX', window: 'DAY', limit: 1 }];
    const clients = [{ name: 'web', keys: [`sha256:${digestOf(key)}`], budgets }];
    writeFileSync(file, JSON.stringify({ clients }));
    return visit(browser(), { env: { CLIENTS_FILE: file }, search: at });
  }

  test('it says that live updates wait for a budget, and until when', async () => {
    const key = newKey();
    const { page, sandbox } = await visitWith(key, '#live-rates');
    await page.getByLabel('This gateway asks for a key.').fill(key);
    await page.keyboard.press('Enter');
    await price(page).getByText('Live updates are paid once').waitFor();
    await run(page).click();
    const left = page.locator('#allowances li');
    await left.getByText(/^0 of your 1 FX units left today, more from \d+ \w+ \d{4},/).waitFor();
    await left.getByText('999 of 1,000 FX units left this month').waitFor();
    const liveNote = /1 update, the last at .* · updates that need a used-up allowance wait/;
    await cost(page).getByText(liveNote).waitFor();
    await page.reload();
    await price(page).getByText('; updates that need a used-up allowance wait.').waitFor();
    await left.getByText('0 of your 1 FX units left today').waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('the time at which a budget is renewed is local, and a missing key is asked for once', async () => {
    const key = newKey();
    const { page, url, sandbox, advance } = await visitWith(key, search({ query: RATES }));
    const field = page.getByLabel('This gateway asks for a key.');
    await field.waitFor();
    expect(await page.getByText('Run it to see').isVisible()).toBe(false);
    expect(await price(page).innerText()).toBe('');
    for (const wrong of ['mg_şğ', 'mg_wrong']) {
      await page.locator('#key').fill(wrong);
      await page.keyboard.press('Enter');
      await page.getByLabel('This gateway does not accept that key.').waitFor();
    }
    await page.getByLabel('This gateway does not accept that key.').waitFor();
    expect(await page.locator('#problems').isVisible()).toBe(false);
    expect(await page.locator('#view').isVisible()).toBe(false);
    await page.getByLabel('This gateway does not accept that key.').fill(key);
    await page.keyboard.press('Enter');
    // Nobody has run it: a key must not pay for what a link contains.
    await price(page).getByText('Asks the upstream').waitFor();
    await page.getByText('Run it to see').waitFor();
    expect(sandbox.requests()).toEqual([]);
    await run(page).click();
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();

    await open(page, url, HISTORY);
    const until = /resets at \d+ \w+ \d{4}, \d\d:\d\d \S+/;
    await price(page).getByText(until).waitFor();
    await run(page).click();
    await page.locator('#problems').getByText(until).waitFor();
    await page.clock.install();
    await open(page, url, HISTORY);
    await price(page).getByText(until).waitFor();
    advance(86_400_000);
    await page.clock.runFor(61_000);
    // The budget pays for the rate again, but not for its history, too.
    await price(page).getByText('The rest costs 1 FX unit').waitFor();
  });
});
