import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { hasBrowser } from '../browser.ts';
import { temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, editor, price, run, SANDBOX, search, visit } from './studio-visit.ts';

/** The Studio runs nothing that nobody asked for, and shows no price of another question. */

const RATES = '{ fxRates(first: 1) { nodes { pair } } }';

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  /** Counts operations that were run, not those whose price was asked for. */
  function countRuns(page: Page): () => number {
    let count = 0;
    page.on('request', (request) => {
      const sent = request.postData() ?? '';
      const isRun = request.method() === 'POST' && !request.headers()['x-usage-dry-run'];
      if (isRun && !sent.includes('__schema')) count += 1;
    });
    return () => count;
  }

  test('a key runs the question that waited for it, and no other that has been opened since', async () => {
    const key = newKey();
    const file = join(temporaryFolder(), 'clients.json');
    const clients = [{ name: 'web', keys: [`sha256:${digestOf(key)}`] }];
    writeFileSync(file, JSON.stringify({ clients }));
    const env = { CLIENTS_FILE: file };
    const { page, sandbox } = await visit(browser(), { env, hold: '**/mount-*.js' });
    const field = page.getByRole('textbox', { name: /key/ });
    await field.waitFor();
    await run(page).click();
    await page.getByRole('button', { name: 'New query' }).click();
    await page.getByRole('textbox', { name: 'Query' }).fill(RATES);
    await field.fill(key);
    await field.press('Enter');
    await price(page).getByText('Asks the upstream: 1 FX unit').waitFor();
    expect(sandbox.requests()).toEqual([]);
    await run(page).click();
    await page.getByRole('cell').first().waitFor();
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('notes beside lines go with the question that they belong to', async () => {
    const { page } = await visit(browser(), { search: search({ query: RATES }) });
    const notes = page.locator('#query .line-numbers');
    await notes.getByText('1 FX').waitFor();
    await page.route(
      '**/graphql',
      (route) => route.request().method() === 'GET' && route.continue(),
    );
    await ask(page, 'Top gainers');
    await editor(page).getByText('TopGainers').waitFor();
    expect((await notes.allTextContents()).join()).toMatch(/^1,2,3/);
  });

  test.each(['plain', 'full'])(
    'a shortcut that is held down runs once: %s editor',
    async (which) => {
      const hold = which === 'plain' ? { hold: '**/mount-*.js' } : {};
      const at = search({ query: RATES });
      const { page } = await visit(browser(), { env: SANDBOX, search: at, ...hold });
      await page.getByRole('cell').first().waitFor();
      if (which === 'full') await editor(page).click();
      else await page.locator('#query-text').click();
      const runs = countRuns(page);
      await page.keyboard.down('Control');
      for (let i = 0; i < 10; i += 1) {
        await page.keyboard.down('Enter');
        // A run that has ended would let the next one begin.
        await run(page).waitFor();
      }
      await page.keyboard.up('Enter');
      await page.keyboard.up('Control');
      expect(runs()).toBe(1);
    },
  );
});
