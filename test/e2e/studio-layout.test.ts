import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, chart, editor, run, SANDBOX, search, visit } from './studio-visit.ts';

/** Everything in the Studio can be seen and read on any screen. */

const DAY_MS = 86_400_000;
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

  test('nothing overflows sideways, however wide the window is', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    for (const wide of [1181, 1180, 860, 820, 801, 800]) {
      await page.setViewportSize({ width: wide, height: 800 });
      expect(await width(page)).toBe(wide);
    }
  });

  test('in a low window nothing overlaps: the page scrolls', async () => {
    const { page } = await visit(browser(), {
      env: SANDBOX,
      context: { viewport: { width: 910, height: 430 } },
    });
    await editor(page).waitFor();
    await page.locator('.plot canvas').waitFor();
    for (const id of ['account', 'pay']) {
      const pane = page.locator(`#${id}`);
      await pane.scrollIntoViewIfNeeded();
      const isOnTop = await pane.evaluate((one) => {
        const { left, top, bottom } = one.getBoundingClientRect();
        const whole = one.closest('section')!.getBoundingClientRect();
        const found = document.elementFromPoint(left + 20, (top + bottom) / 2);
        return one.contains(found) && bottom <= whole.bottom;
      });
      expect([id, isOnTop]).toEqual([id, true]);
    }
  });

  test('in a narrow window the answer comes before the query, for the keyboard and screen readers, too', async () => {
    const { page } = await visit(browser(), { env: SANDBOX, context: PHONE });
    const order = () =>
      page.locator('main > section').evaluateAll((sections) => sections.map(({ id }) => id));
    const top = async (id: string) => (await page.locator(`#${id}`).boundingBox())!.y;
    expect(await order()).toEqual(['answer', 'ask']);
    expect(await top('answer')).toBeLessThan(await top('ask'));
    await page.setViewportSize({ width: 1200, height: 800 });
    await expect.poll(order).toEqual(['ask', 'answer']);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(order).toEqual(['answer', 'ask']);
    await page.locator('.plot canvas').waitFor();
  });

  test('a new query can be started on a phone, too', async () => {
    const { page } = await visit(browser(), { env: SANDBOX, context: PHONE });
    await page.getByRole('button', { name: 'New query' }).click();
    const chosen = page.getByRole('combobox', { name: 'Question' }).locator('option:checked');
    expect(await chosen.textContent()).toBe('New query');
    expect(await width(page)).toBe(360);
    // Screen readers find it by its heading, though the chooser shows its name.
    await page.getByRole('heading', { name: 'New query', level: 2 }).waitFor();
  });

  test('on a phone a long name does not move Run off the screen', async () => {
    const query = `{ ${'a'.repeat(60)}: fxRate(pair: "USDTRY") { history { points { date value } } } }`;
    const { page } = await visit(browser(), {
      env: SANDBOX,
      context: PHONE,
      search: search({ query }),
    });
    await page.locator('.tiles').waitFor();
    expect(await width(page)).toBe(360);
    const box = await run(page).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 1000)).toBeLessThanOrEqual(360);
  });

  test('long texts in a table can be read: in several lines, and the longest on a tap', async () => {
    const query = '{ legislationChanges(first: 20) { nodes { title diff { before after } } } }';
    const { page } = await visit(browser(), {
      env: SANDBOX,
      context: PHONE,
      search: search({ query }),
    });
    const texts = page.locator('td .long');
    await texts.first().waitFor();
    const cut = () =>
      page
        .locator('td, td *')
        .evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
    const before = await cut();
    expect(before).toBeGreaterThan(0);
    const closed = page.locator('td button[aria-expanded="false"]');
    for (let left = await closed.count(); left > 0; left -= 1) await closed.first().press('Enter');
    expect(await cut()).toBe(0);
    expect(await width(page)).toBe(360);
  });

  test('figures in a column have equally many decimals, and times name their zone', async () => {
    // All figures of past events are known.
    const [start, end] = [14, 2].map((days) => new Date(Date.now() - days * DAY_MS).toISOString());
    const filter = `{ start: "${start!.slice(0, 10)}", end: "${end!.slice(0, 10)}" }`;
    const query = `{ calendarEvents(first: 50, filter: ${filter}) { nodes { datetime actual forecast previous } } }`;
    const { page } = await visit(browser(), { env: SANDBOX, search: search({ query }) });
    await page.locator('td.number').first().waitFor();
    const rows = await page
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent)),
      );
    for (const column of [1, 2, 3]) {
      const digits = rows.flatMap(
        (row) => /^[-\d,]+\.?(\d*)$/.exec(row[column] ?? '')?.[1]?.length ?? [],
      );
      expect(new Set(digits).size).toBe(1);
    }
    expect(rows[0]?.[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d)$/);
  });

  test('the price on the button can be read', async () => {
    const { page } = await visit(browser(), { env: SANDBOX, context: { colorScheme: 'light' } });
    await chart(page).waitFor();
    const opacity = await page
      .locator('#run-cost')
      .evaluate((one) => getComputedStyle(one).opacity);
    expect(opacity).toBe('1');
  });

  test('Escape closes the documentation wherever the focus is, and its links are underlined', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await ask(page, 'Top gainers');
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    const link = page.locator('#docs a').first();
    await link.waitFor();
    const line = await link.evaluate((one) => getComputedStyle(one).textDecorationLine);
    expect(line).toBe('underline');
    await page.keyboard.press('Escape');
    expect(await page.locator('#docs').isVisible()).toBe(false);
  });

  test('in an editor, Escape first closes what is open there', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await editor(page).click();
    await page.keyboard.press('Control+F');
    const find = page.locator('#query .find-widget.visible');
    await find.waitFor();
    const docs = page.locator('#docs');
    await page.keyboard.press('Escape');
    await find.waitFor({ state: 'detached' });
    expect(await docs.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await docs.isVisible()).toBe(false);
  });
});
