import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { connect } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, chart, cost, editor, price, SANDBOX, visit } from './studio-visit.ts';

interface Candles {
  fxRate: { history: { candles: { high: number; low: number }[] } };
}

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('in a sandbox the first question runs by itself, and costs nothing when it is run again', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await chart(page).waitFor();
    await cost(page).getByText('Cost 2 FX units').waitFor();
    await cost(page)
      .getByText(/asking again is free for \d+ s/)
      .waitFor();
    await page.getByRole('button', { name: 'SANDBOX' }).click();
    await page.getByText('All data here are made up').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run again costs 0' }).click();
    await cost(page).getByText('Cost nothing').waitFor();
    await page.getByRole('button', { name: 'Weekly candles' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.locator('.json-view').getByText('"fxRate"').waitFor();
    expect(await page.getByText('"usedThisMonth"').first().isVisible()).toBe(false);
  });

  test('in dark mode, candles of a year show the same values as the API', async () => {
    const { page, url } = await visit(browser(), {
      env: SANDBOX,
      context: { colorScheme: 'dark' },
    });
    await chart(page).waitFor();
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe('rgb(14, 19, 25)');
    await page.getByRole('button', { name: 'Monthly' }).click();
    await page.locator('.plot .u-over').hover();
    const readout = (await page.locator('.readout').textContent()) ?? '';
    const [, high, low] = /high ([\d.,]+) · low ([\d.,]+)/.exec(readout) ?? [];
    const start = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
    const query = `{ fxRate(pair: "USDTRY") { history(start: "${start}") { candles(every: MONTH) { high low } } } }`;
    const { candles } = (await connect(url).get<Candles>(query)).fxRate.history;
    expect(candles.length).toBeGreaterThan(11);
    expect(candles).toContainEqual({ high: Number(high), low: Number(low) });
  });

  test('with a real upstream nothing that costs something runs by itself', async () => {
    const { page, sandbox } = await visit(browser());
    await price(page).getByText('Asks the upstream: 2 FX units.').waitFor();
    await page.locator('.cost-paid', { hasText: '2 FX' }).waitFor();
    expect(sandbox.requests()).toEqual([]);
    expect(await page.getByRole('button', { name: 'SANDBOX' }).isVisible()).toBe(false);
    await editor(page).click();
    await page.keyboard.press('Control+Enter');
    await chart(page).waitFor();
    expect(sandbox.spent()).toEqual({ fx: 2, macro: 0, credits: 0 });
    await cost(page).getByText('998 of 1,000 FX units left this month').waitFor();
    await page.locator('.cost-free', { hasText: 'free' }).waitFor();
  });

  test('each field has its price beside it, and the page warns of a limit that is near', async () => {
    const { page } = await visit(browser(), { env: { FX_MONTHLY_LIMIT: '2' } });
    await ask(page, 'The lira against euro');
    const over = page.locator('.cost-over');
    await expect.poll(() => over.allTextContents()).toEqual(['2 FX', '2 FX', '2 FX']);
    const allowance = await page.locator('#allowances [data-danger="over"]').textContent();
    expect(allowance).toBe(
      '2 of 2 FX units left this month: this uses all of it, and may need more',
    );
  });

  test('the page contacts no other host, logs no errors, and is small', async () => {
    const { page, url, origins, complaints } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    expect([...origins].filter((origin) => origin !== 'null')).toEqual([new URL(url).origin]);
    expect(complaints).toEqual([]);
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(1_500_000);
  });
});
