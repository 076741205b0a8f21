import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, editor, price, run, SANDBOX, search, typeHeaders, visit } from './studio-visit.ts';

/** Answers as the Studio's pane shows them. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const open = (query: string) => visit(browser(), { env: SANDBOX, search: search({ query }) });

  test('if there are several lists, the one shown is named, and another can be chosen', async () => {
    const { page } = await open(
      '{ fxRates { nodes { pair } } cryptoAssets(first: 3) { nodes { symbol } } }',
    );
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();
    await page.getByRole('cell', { name: 'BTC' }).waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    const list = page.getByRole('combobox', { name: 'List' });
    expect(await list.locator('option:checked').textContent()).toBe('fxRates');
    await list.selectOption({ label: 'cryptoAssets' });
    await page.getByRole('cell', { name: 'BTC' }).waitFor();
  });

  test('a table does not flash when it appears or is sorted', async () => {
    const { page } = await open('{ fxRates { nodes { buying selling } } }');
    await page.locator('td').first().waitFor();
    expect(await page.locator('td.changed').count()).toBe(0);
    await page.getByRole('button', { name: 'selling' }).click();
    await page.locator('th[aria-sort=descending]').waitFor();
    expect(await page.locator('td.changed').count()).toBe(0);
  });

  test('a table is sorted by a click anywhere in a head, and heads of numbers end where the numbers do', async () => {
    const { page } = await open('{ fxRates { nodes { pair buying selling } } }');
    const head = page.getByRole('columnheader', { name: 'buying' });
    const { width, height } = (await head.boundingBox())!;
    const ends = await page.locator('tr > :nth-child(2)').evaluateAll((cells) =>
      cells.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one.querySelector('button') ?? one);
        return Math.round(range.getBoundingClientRect().right);
      }),
    );
    expect(new Set(ends).size).toBe(1);
    for (const [x, y, order] of [
      [2, 2, 'descending'],
      [width - 2, height - 3, 'ascending'],
    ] as const) {
      await head.click({ position: { x, y } });
      expect(await head.getAttribute('aria-sort')).toBe(order);
    }
  });

  test('candles state the days that they stand for, not the first of them as the day of a value', async () => {
    const years = 'start: "2024-01-01", end: "2025-12-31"';
    const candles = (fields: string) => `{ fxRate(pair: "USDTRY") { pair history(${years}) {
      candles(every: YEAR) { start ${fields} open high low close } } } }`;
    const { page } = await open(candles('end'));
    const latest = page.locator('.tiles small').first();
    await latest.waitFor();
    expect(await latest.textContent()).toBe('1 Jan 2025 – 31 Dec 2025');
    const chart = page.getByRole('img', {
      name: /^USD\/TRY from 1 Jan 2024: .*2025 – 31 Dec 2025/,
    });
    expect(await chart.count()).toBe(1);
    const withoutEnd = await open(candles(''));
    await withoutEnd.page.locator('.tiles small').getByText('from 1 Jan 2025').first().waitFor();
  });

  test('waiting for live updates is shown until they are stopped', async () => {
    const { page } = await open('subscription { legislationChangePublished { title } }');
    const answerView = page.locator('#view');
    await answerView.getByText('Waiting for the first update.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answerView.getByText('Run it to see the answer here.').waitFor();
    expect(await page.getByText('Waiting').count()).toBe(0);
  });

  test('with half-written headers nothing is sent: without them it would cost something', async () => {
    const { page, sandbox } = await visit(browser());
    await typeHeaders(page, '"x-usage-dry-run": "1"');
    await run(page).click();
    await page.getByText('The headers are not a JSON object.').first().waitFor();
    expect(sandbox.requests()).toEqual([]);
  });

  test('of a header that no request can carry, it says so, and not that the JSON is wrong', async () => {
    const { page, sandbox } = await visit(browser());
    await typeHeaders(page, '{ "x key": "1" }');
    await run(page).click();
    await page.getByText(/^A header has a name or value that no request can carry/).waitFor();
    expect(sandbox.requests()).toEqual([]);
  });

  test('a copied table has a line for each row, and no arrow of the order', async () => {
    const { page } = await open('{ legislationChanges { nodes { publishedAt title type } } }');
    await page.getByRole('button', { name: 'published at' }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    const copied = await page.locator('#view table').evaluate((table) => {
      getSelection()!.selectAllChildren(table);
      return String(getSelection());
    });
    const [head, ...rows] = copied
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(head).toEqual(['published at', 'title', 'type']);
    expect(rows.length).toBe(await page.locator('tbody tr').count());
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([3]));
  });

  test('an empty list is shown as empty', async () => {
    const { page } = await open(
      '{ calendarEvents(filter: { start: "2030-01-01", end: "2030-01-01" }) { nodes { event } } }',
    );
    await page.getByText('The list is empty.').waitFor();
    expect(await page.getByRole('row').count()).toBe(1);
  });

  test('several failures for one reason are shown once', async () => {
    const { page } = await open('{ a: fxRate(pair: "x") { pair } b: fxRate(pair: "x") { pair } }');
    const problems = page.locator('#problems li');
    await problems.getByText('BAD_USER_INPUT, 2 times').waitFor();
    expect(await problems.count()).toBe(1);
  });

  test('skip links lead the keyboard past all questions to the query and the answer', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('ask');
    await page.getByRole('link', { name: 'Skip to the answer' }).focus();
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('answer');
  });

  test('a table has the order of the answer', async () => {
    const { page, sandbox } = await open(
      '{ cryptoAssets(first: 3, orderBy: { field: MARKET_CAP }) { nodes { symbol change24h } } }',
    );
    await page.locator('td').first().waitFor();
    expect(await page.locator('tr td:first-child').allTextContents()).toEqual([
      'BTC',
      'ETH',
      'USDT',
    ]);
    expect(sandbox.requests()).toEqual([]);
  });

  test('an issue of the gazette is a name of digits, not an amount', async () => {
    const { page } = await open('{ legislationChanges(first: 3) { nodes { gazetteNumber } } }');
    await page.locator('td').first().waitFor();
    for (const text of await page.locator('td').allTextContents()) expect(text).toMatch(/^\d{5}$/);
  });

  test('if the gateway cannot be reached, the previous answer stays, but not its price', async () => {
    const { page } = await open('{ fxRates(first: 1) { nodes { pair } } }');
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await run(page).click();
    await page.getByText('The gateway cannot be reached.').waitFor();
    expect(await page.getByRole('cell', { name: 'USDTRY' }).count()).toBe(1);
    await price(page).getByText('Costs nothing now').waitFor({ state: 'hidden' });
  });

  test('a query of nothing but a comment is not sent', async () => {
    const { page } = await open('# later');
    await run(page).click();
    await page.locator('#problems').getByText('There is nothing to run').waitFor();
    expect(await page.getByText('BAD_REQUEST').count()).toBe(0);
  });

  test('a query that is too long for a link is not offered as one', async () => {
    const { page } = await open(`{ fxRates { totalCount } } # ${'x'.repeat(14_980)}`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Too long for a link').waitFor();
    const copy = page.getByRole('button', { name: 'Copy' });
    expect(await copy.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'curl' }).click();
    await expect.poll(() => copy.isEnabled()).toBe(true);
  });

  test('a rising rate is not colored as good news: it is bad news for one of its currencies', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await ask(page, 'The dollar in lira');
    const color = (label: string) =>
      page
        .locator('.tiles > div', { hasText: label })
        .locator('dd')
        .evaluate((one) => getComputedStyle(one).color);
    expect(await color('Change')).toBe(await color('Lowest'));
  });
});
