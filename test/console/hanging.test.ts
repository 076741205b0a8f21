import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { openConsole } from './gateway.ts';
import { visit } from './visit.ts';

/** A gateway that takes requests of the console, but does not answer them, as over a lost connection. */

const browser = oneBrowser();

test.skipIf(!hasBrowser)('the page says so, and is live again once there are answers', async () => {
  const { url } = await openConsole();
  const { page } = await visit(browser(), url);
  const isKind = (kind: string) => page.waitForSelector(`#state[data-kind="${kind}"]`);
  await isKind('live');
  await page.clock.install();
  let held: Route | undefined;
  await page.route('**/report.json*', (route) => {
    // Only the first one hangs.
    if (held) return route.continue();
    held = route;
    return undefined;
  });
  await page.waitForRequest('**/report.json*');
  await page.clock.fastForward(10_000);
  await isKind('away');
  expect(await page.innerText('#state')).toMatch(/^the gateway does not answer; as of /);
  // As when the network is back: the page asks as soon as it is seen again.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await isKind('live');
  // The end of the request that hung says nothing any more.
  await Promise.all([page.waitForEvent('requestfailed'), held?.abort()]);
  expect(await page.getAttribute('#state', 'data-kind')).toBe('live');
});
