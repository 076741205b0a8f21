import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { connect } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, chart, editor, price, run, SANDBOX, search, visit } from './studio-visit.ts';

/** Small things that visitors of the Studio notice. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('the point of a line under the pointer is a ring in the color of the line', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await chart(page).waitFor();
    const box = await chart(page).boundingBox();
    await page.mouse.move(box!.x + box!.width / 2, box!.y + box!.height / 2);
    const ring = page.locator('.u-cursor-pt').last();
    const style = await ring.evaluate((element) => {
      const { borderTopWidth: width, borderTopColor: color } = getComputedStyle(element);
      return { width, color };
    });
    expect(style).toEqual({ width: '2px', color: 'rgb(15, 118, 110)' });
  });

  test('an operation of which one item of a list is refused is not announced as refused', async () => {
    const query = '{ nodes(ids: ["FxRate:USDTRY", "nope"]) { id ... on FxRate { mid } } }';
    const { page, url } = await visit(browser(), { search: search({ query }) });
    await price(page)
      .getByText(/^Refused in part: .* The rest costs 1 FX unit\.$/)
      .waitFor();
    await connect(url).get('{ fxRate(pair: "USDTRY") { mid } }');
    await page.reload();
    await price(page).getByText('The rest costs nothing now.').waitFor();
    await expect.poll(() => run(page).innerText()).toContain('costs 0');
  });

  test('closing the documentation returns the focus to its button, even after a link was followed', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    const button = page.getByRole('button', { name: 'Docs' });
    await button.click();
    await page.locator('#docs').getByRole('link', { name: 'Query' }).click();
    await page.locator('#docs').getByText('fxRates').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#docs').waitFor({ state: 'hidden' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('a button that hides itself leaves the focus with the question that is shown then', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'New query' }).click();
    for (const name of ['Remove', 'Undo changes']) {
      await page.getByRole('button', { name }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name }).waitFor({ state: 'hidden' });
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('ask');
      await page.locator('#query .monaco-editor').click();
      await page.keyboard.insertText('# changed');
    }
  });

  test("questions about the coming days begin with the visitor's day, or with that of UTC if it is earlier", async () => {
    // A zone whose day is another one than in UTC.
    const isAfternoon = new Date().getUTCHours() >= 12;
    const context = { timezoneId: isAfternoon ? 'Pacific/Kiritimati' : 'Pacific/Niue' };
    const { page } = await visit(browser(), { env: SANDBOX, context });
    await ask(page, 'What moves markets in the coming days?');
    const today = await page.evaluate(() => {
      const now = new Date();
      const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
      const local = parts.map((part) => String(part).padStart(2, '0')).join('-');
      return [local, now.toISOString().slice(0, 10)].toSorted()[0];
    });
    await expect.poll(() => page.locator('#variables').innerText()).toContain(`"${today}"`);
  });

  test('on a page that is open since yesterday, a question that is chosen begins with today', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await ask(page, 'Top gainers');
    await page.clock.install();
    await page.clock.fastForward(86_400_000);
    const day = await page.evaluate(() => new Date().toLocaleDateString('sv'));
    await ask(page, 'What moves markets in the coming days?');
    await expect.poll(() => page.locator('#variables').innerText()).toContain(`"${day}"`);
  });

  test('a table is printed as a whole, without the editor', async () => {
    const query = '{ cryptoAssets(first: 100) { nodes { symbol price } } }';
    const { page } = await visit(browser(), { env: SANDBOX, search: search({ query }) });
    await page.getByRole('table').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1123 });
    await run(page).waitFor({ state: 'hidden' });
    const bottomOf = (name: string) =>
      page.locator(name).evaluate((element) => element.getBoundingClientRect().bottom);
    expect(await bottomOf('table')).toBeGreaterThan(2000);
    expect(await bottomOf('#answer')).toBeGreaterThan(await bottomOf('table'));
  });

  test.each([
    ['upright', { width: 720, height: 1050 }],
    ['broad', { width: 1050, height: 720 }],
  ])(
    'on %s paper a chart is whole, tables are as wide as they need, and the question is named',
    async (_name, size) => {
      const query = `query MarketPage {
      fxRate(pair: "USDTRY") { history { points { date value } } }
      legislationChanges(first: 5) { nodes { title type changeType institution publishedAt recordId } } }`;
      const { page } = await visit(browser(), { env: SANDBOX, search: search({ query }) });
      await page.locator('.plot canvas').waitFor();
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize(size);
      await run(page).waitFor({ state: 'hidden' });
      await page.locator('#chooser').waitFor();
      expect(await page.locator('#questions').isVisible()).toBe(false);
      const plot = page.locator('.plot');
      const [outer, inner] = [await plot.boundingBox(), await plot.locator('canvas').boundingBox()];
      expect(inner!.y + inner!.height).toBeLessThanOrEqual(outer!.y + outer!.height + 1);
      expect(inner!.x + inner!.width).toBeLessThanOrEqual(size.width);
      const overflows = page
        .locator('.scroll')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).overflow));
      expect(new Set(await overflows)).toEqual(new Set(['visible']));
    },
  );
});
