import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, price, run, SANDBOX, search, visit } from './studio-visit.ts';

/** Sharing from the Studio, and opening what others have shared. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const share = (page: Page) => page.getByRole('button', { name: 'Share', exact: true }).click();
  const kind = (page: Page, name: string) => page.locator('#share-kinds').getByText(name);
  const toCopy = (page: Page) => page.getByLabel('Text to copy').inputValue();

  test('a link opens a query with its variables, which can be shared again', async () => {
    const query = 'query Shared($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
    const variables = JSON.stringify({ pair: 'EURUSD' });
    const { page, url, sandbox } = await visit(browser(), { search: search({ query, variables }) });
    await price(page).getByText('Asks the upstream: 1 FX unit.').waitFor();
    await run(page).click();
    await page.getByRole('cell', { name: 'EURUSD' }).waitFor();
    expect(sandbox.requests()).toHaveLength(1);
    await share(page);
    await expect.poll(() => toCopy(page)).not.toBe('');
    const link = new URL(await toCopy(page));
    expect(link.origin + link.pathname).toBe(url);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      query,
      variables,
      operationName: 'Shared',
    });
    await kind(page, 'By id').click();
    await page.getByText('The gateway knows this id now').waitFor();
    const [, address = ''] = /'(http[^']+)'/.exec(await toCopy(page)) ?? [];
    const answer = await (await fetch(address)).json();
    expect(answer).toMatchObject({ data: { fxRate: { pair: 'EURUSD' } } });
  });

  test('what is said of an id is not said of another way that was chosen meanwhile', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    const held = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('persistedQuery')) {
        sent.resolve();
        await held.promise;
      }
      await route.continue();
    });
    await share(page);
    await kind(page, 'By id').click();
    await sent.promise;
    await kind(page, 'curl').click();
    await expect.poll(() => toCopy(page)).toMatch(/^curl/);
    const registered = page.waitForResponse(
      (response) => response.request().postData()?.includes('persistedQuery') === true,
    );
    held.resolve();
    await (await registered).finished();
    // The page reads an answer a moment after it has come.
    await page.waitForTimeout(200);
    expect(await page.locator('#share-note').textContent()).toBe('');
    expect(await toCopy(page)).toMatch(/^curl/);
  });

  test('while the gateway has not answered, nothing of another operation can be copied', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await page.getByRole('img', { name: /^USD/ }).waitFor();
    await share(page);
    await expect.poll(() => toCopy(page)).not.toBe('');
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('persistedQuery')) return route.continue();
      await held.promise;
      return route.abort();
    });
    await kind(page, 'By id').click();
    await expect.poll(() => toCopy(page)).toBe('');
    expect(await page.locator('#share-copy').isEnabled()).toBe(false);
    held.resolve();
    await page.locator('#share-note').getByText('The gateway does not answer.').waitFor();
  });

  test('live updates are shared only in ways that bring live updates', async () => {
    const { page } = await visit(browser(), { env: SANDBOX });
    await share(page);
    await kind(page, 'fetch').click();
    await page.keyboard.press('Escape');
    await ask(page, 'Crypto prices, live');
    await share(page);
    expect(await page.locator('#share-kinds').getByRole('button').allTextContents()).toEqual([
      'Link',
      'curl',
      'graphql-sse',
      'Apollo',
    ]);
    await expect.poll(() => toCopy(page)).toMatch(/^http.*query=subscription/);
  });

  test('of several operations, the chosen one is kept by its name', async () => {
    const query = 'query First { a: __typename } query Second { b: __typename }';
    const asked = search({ query, operationName: 'Second' });
    const { page } = await visit(browser(), { search: asked, env: SANDBOX });
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    await page.getByText('"b"').waitFor();
    await ask(page, 'Top gainers');
    await page.getByRole('columnheader', { name: /change 24h/ }).waitFor();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.locator('#history-list').getByText('Second').click();
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    await run(page).click();
    await page.getByText('"b"').waitFor();
    await share(page);
    await expect.poll(() => toCopy(page)).toContain('operationName=Second');
  });
});
