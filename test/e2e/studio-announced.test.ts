import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, chart, cost, run, SANDBOX, visit } from './studio-visit.ts';

/** What screen readers announce, and what they do not announce again. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
  const alert = (page: Page, text: string) => page.getByRole('alert').getByText(text);

  function visitLocked(at = '') {
    const file = join(temporaryFolder(), 'clients.json');
    const clients = [{ name: 'web', keys: [`sha256:${digestOf(newKey())}`] }];
    writeFileSync(file, JSON.stringify({ clients }));
    return visit(browser(), { env: { ...SANDBOX, CLIENTS_FILE: file }, search: at });
  }

  test('that a key is missing or refused is announced, by an alert that was there before', async () => {
    const { page, url } = await visitLocked();
    const headers = { accept: 'text/html' };
    const html = await (await fetch(url, { headers })).text();
    expect(html).toMatch(/role="alert"><label for="key" id="key-label"><\/label>/);
    await alert(page, 'asks for a key').waitFor();
    const known = await page
      .locator('[role="alert"]', { hasText: 'key' })
      .evaluateHandle((one) => one);
    await page.locator('#key').fill('mg_wrong');
    await page.keyboard.press('Enter');
    await alert(page, 'does not accept that key').waitFor();
    expect(await known.evaluate((one) => one.isConnected)).toBe(true);
    expect(await known.evaluate((one) => one.textContent)).toContain('another');
  });

  test('a key that is refused again is announced again', async () => {
    const { page } = await visitLocked();
    await page.locator('#key').fill('mg_şğ');
    await page.keyboard.press('Enter');
    await alert(page, 'does not accept that key').waitFor();
    const changes = await countChanges(page, '#key-alert');
    await page.locator('#key').fill('mg_şğ');
    await page.keyboard.press('Enter');
    await expect.poll(changes).toBe(1);
  });

  test.each(['', '#live-rates'])(
    'Run without a key leads to the field for one: "%s"',
    async (at) => {
      const { page } = await visitLocked(at);
      await alert(page, 'asks for a key').waitFor();
      expect(await focused(page)).toBe('');
      await run(page).press('Enter');
      await expect.poll(() => focused(page)).toBe('key');
      await alert(page, 'asks for a key').waitFor();
    },
  );

  test('that updates are live is announced once', async () => {
    const { page } = await visit(browser(), { env: { ...SANDBOX, TTL_CRYPTO: '1' } });
    await ask(page, 'Crypto prices, live');
    await cost(page)
      .getByText(/^\d+ updates?,/)
      .waitFor();
    const changes = await countChanges(page, '#cost');
    const before = await page.locator('#age').textContent();
    await expect.poll(() => page.locator('#age').textContent()).not.toBe(before);
    expect(await changes()).toBe(0);
  });

  test('documentation that is still loading says so', async () => {
    const { page, release } = await visit(browser(), { env: SANDBOX, hold: '**/mount-*.js' });
    // By then the page's own script runs.
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    const wait = page.locator('#docs').getByRole('status').getByText('Loading the documentation');
    await wait.waitFor();
    release();
    await page.getByText('Root Types').waitFor();
    expect(await wait.isVisible()).toBe(false);
  });
});

/** Counts from now on how often the content of an element is written, even if the text stays the same. */
async function countChanges(page: Page, selector: string): Promise<() => Promise<number>> {
  const count = await page.locator(selector).evaluateHandle((one) => {
    const found = { times: 0 };
    const observer = new MutationObserver(() => (found.times += 1));
    observer.observe(one, { childList: true, characterData: true, subtree: true });
    return found;
  });
  return () => count.evaluate(({ times }) => times);
}
