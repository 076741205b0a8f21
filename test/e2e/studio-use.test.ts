import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import {
  ask,
  chart,
  cost,
  editor,
  price,
  run,
  SANDBOX,
  typeHeaders,
  visit,
} from './studio-visit.ts';

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('typing goes on at the same place when the full editor has loaded', async () => {
    const { page, release } = await visit(browser(), { env: SANDBOX, hold: '**/mount-*.js' });
    await page.getByRole('textbox', { name: 'Query' }).fill('{ health { } }');
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowLeft');
    release();
    await editor(page).waitFor();
    await expect.poll(() => page.locator('#query-text').count()).toBe(0);
    await page.keyboard.insertText(' ok');
    await editor(page).getByText('health { ok').waitFor();
    await price(page).getByText('Costs nothing now').waitFor();
  });

  test.each([
    ['plain', '**/mount-*.js'],
    ['full', undefined],
  ])('a new query can be typed at once into the %s editor', async (which, hold) => {
    const { page } = await visit(browser(), { env: SANDBOX, ...(hold && { hold }) });
    if (which === 'full') await editor(page).waitFor();
    await page.getByRole('button', { name: 'New query' }).click();
    await page.keyboard.type('health { ok }');
    await page.keyboard.press('Control+Enter');
    const answered = page.locator('#answer').getByText('health');
    await expect.poll(() => answered.count()).toBeGreaterThan(0);
  });

  test('live updates flash', async () => {
    const { page } = await visit(browser(), { env: { ...SANDBOX, TTL_CRYPTO: '1' } });
    await ask(page, 'Crypto prices, live');
    await page.getByRole('cell', { name: 'Bitcoin' }).waitFor();
    await page.locator('td.changed').first().waitFor();
    expect(await cost(page).textContent()).toMatch(/^\s*Live \d+ updates, the last at/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await run(page).waitFor();
    // The page says the same if the gateway ends them.
    expect(await cost(page).textContent()).toMatch(/No longer live \d+ updates, the last at/);
  });

  test('a link to live updates starts them in a sandbox', async () => {
    const { page } = await visit(browser(), { search: '#live-crypto', env: SANDBOX });
    await cost(page).getByText('1 update,').waitFor();
    expect(await page.locator('#sandbox').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Stop' }).click();
    await run(page).waitFor();
  });

  test('live updates resume after they break off', async () => {
    const { page, breakConnections } = await visit(browser(), { env: SANDBOX });
    await ask(page, 'Crypto prices, live');
    await cost(page).getByText('1 update,').waitFor();
    breakConnections();
    await cost(page).getByText('2 updates,').waitFor();
    const errors = [{ message: 'Busy.', extensions: { code: 'OVERLOADED' } }];
    const refusal = { status: 503, json: { errors } };
    await page.route('**/graphql', (route) => route.fulfill(refusal), { times: 1 });
    breakConnections();
    await cost(page).getByText('3 updates,').waitFor();
    expect(await cost(page).textContent()).toMatch(/^\s*Live/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await run(page).waitFor();
  });

  test('on a phone everything is in one column, and the full editor is not loaded', async () => {
    const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await visit(browser(), { env: SANDBOX, context });
    await chart(page).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    await page.getByRole('combobox', { name: 'Question' }).selectOption({ label: 'Top gainers' });
    await page.getByRole('columnheader', { name: /change 24h, %/ }).waitFor();
    const small = await page.locator('button:visible, select:visible').evaluateAll((elements) =>
      elements
        .filter((element) => !element.closest('table, .badge') && element.id !== 'sandbox')
        .filter((element) => element.getBoundingClientRect().height < 40)
        .map((element) => element.textContent),
    );
    expect(small).toEqual([]);
    expect(await editor(page).count()).toBe(0);
  });

  test('with a header for dry runs, the documentation is still there', async () => {
    const { page, sandbox } = await visit(browser());
    await typeHeaders(page, '{"x-usage-dry-run":"1"}');
    await run(page).click();
    await page.locator('.json-view').waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    expect(sandbox.requests()).toEqual([]);
  });

  test('Turkish letters are not marked as mistakes, and what was typed is still there after a reload', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await editor(page).waitFor();
    await editor(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('# ığüşöçİĞ е\n{ usage { fx { usedThisMonth } } }');
    await page.reload();
    await editor(page).getByText('ığüşöçİĞ').waitFor();
    expect(await page.locator('.unicode-highlight').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page
      .locator('#history-list')
      .getByText(/The dollar in lira/)
      .first()
      .waitFor();
  });

  /** Environment variables of a gateway that serves only clients with this key. */
  function envForKey(key: string) {
    const file = join(temporaryFolder(), 'clients.json');
    const clients = [{ name: 'web', keys: [`sha256:${digestOf(key)}`] }];
    writeFileSync(file, JSON.stringify({ clients }));
    return { ...SANDBOX, CLIENTS_FILE: file };
  }

  test('if clients need keys, the page asks for one and does not share it', async () => {
    const key = newKey();
    const { page, complaints } = await visit(browser(), { env: envForKey(key) });
    await page.getByLabel('This gateway asks for a key.').fill('mg_wrong');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByLabel('This gateway does not accept that key.').fill(key);
    await page.getByRole('button', { name: 'Use it' }).click();
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'curl' }).click();
    const toCopy = page.getByLabel('Text to copy');
    // The text is written once the query has been hashed.
    await expect.poll(() => toCopy.inputValue()).toContain('$MARKETGRAPH_KEY');
    expect(await toCopy.inputValue()).not.toContain(key);
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('after a wrong key, the focus is where the next one is typed', async () => {
    const { page } = await visit(browser(), { env: envForKey(newKey()) });
    await page.getByLabel('This gateway asks for a key.').fill('mg_wrong');
    await page.keyboard.press('Enter');
    await page.getByLabel('This gateway does not accept that key.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('key');
  });

  test('it asks for a key for live updates, too, before they are run', async () => {
    const key = newKey();
    const { page } = await visit(browser(), { search: '#live-rates', env: envForKey(key) });
    await page.getByLabel('This gateway asks for a key.').fill(key);
    await page.getByRole('button', { name: 'Use it' }).click();
    await cost(page).getByText('1 update,').waitFor();
    expect(await cost(page).textContent()).toMatch(/^\s*Live/);
  });

  test('a key that is typed among the headers opens the documentation, too', async () => {
    const key = newKey();
    const { page } = await visit(browser(), { env: envForKey(key) });
    await page.getByLabel('This gateway asks for a key.').waitFor();
    await typeHeaders(page, JSON.stringify({ authorization: `Bearer ${key}` }));
    await run(page).click();
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    expect(await page.getByLabel('This gateway asks for a key.').isVisible()).toBe(false);
  });
});
