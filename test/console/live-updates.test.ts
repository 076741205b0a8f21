import { expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { openConsole, RATES } from './gateway.ts';
import { visit } from './visit.ts';

/** Live updates spend units, but nobody asks for them one by one. */

const browser = oneBrowser();
const LIVE = 'subscription Live { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';

test.skipIf(!hasBrowser)('polls do not hide what the cache has saved', async () => {
  const { ask, subscribe, sandbox, url } = await openConsole({ TTL_CRYPTO: '0.2' });
  await subscribe(LIVE);
  await expect.poll(() => sandbox.spent().credits).toBeGreaterThan(4);
  for (let i = 0; i < 6; i += 1) await ask(RATES);
  const { page } = await visit(browser(), url);
  await page.waitForSelector('#datasets tbody tr:nth-child(2)');
  expect(sandbox.spent().fx).toBe(1);
  const [spent, without] = await page.evaluate(() =>
    ['spent', 'without'].map((name) =>
      Number(document.querySelector(`[data-figure="${name}"]`)?.textContent),
    ),
  );
  expect(spent).toBeGreaterThan(4);
  expect(without).toBe(spent! + 5);
  expect(await page.textContent('[data-figure="saved"]')).not.toBe('0 %');
});
