import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { openConsole } from './gateway.ts';
import { visit } from './visit.ts';

/** The console in a browser that stores nothing, and behind a proxy that answers in its place. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('without storage, the token holds until the page is closed', async () => {
    const { url } = await openConsole({ ADMIN_TOKEN: 'the-token' });
    const { page, problems } = await visit(browser(), url);
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      Object.defineProperty(globalThis, 'sessionStorage', { get });
    });
    await page.reload();
    await page.getByLabel(/ADMIN_TOKEN/).waitFor();
    await page.fill('#token', 'the-token');
    await page.press('#token', 'Enter');
    await page.waitForSelector('#state[data-kind="live"]');
    expect(await page.locator('#content').isVisible()).toBe(true);
    expect(problems.filter((each) => !each.includes('401'))).toEqual([]);
  });

  test('the page of a proxy is not shown as the state', async () => {
    const { url } = await openConsole();
    const { page } = await visit(browser(), url);
    await page.waitForSelector('#state[data-kind="live"]');
    const body = '<html><title>502 Bad Gateway</title></html>';
    await page.route('**/report.json*', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body }),
    );
    await page.waitForSelector('#state[data-kind="away"]');
    expect(await page.innerText('#state-text')).toBe('the gateway answered 502');
  });
});
