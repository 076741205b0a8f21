import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { hasBrowser, launchBrowser } from '../browser.ts';
import { access, temporaryFolder } from '../harness.ts';

describe.skipIf(!hasBrowser)('in a real browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function startGateway() {
    const sandbox = await startSandbox();
    const limits = { FX_MONTHLY_LIMIT: '1000', DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
    const app = await createApp(readConfig({ ...access(sandbox), ...limits }));
    const server = createServer(app.handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.close().closeAllConnections();
      await app.close();
      await sandbox.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return { sandbox, url: `http://127.0.0.1:${port}/graphql` };
  }

  /** GraphiQL over a fresh gateway, and all that the page asked for and complained about. */
  async function visit(search = '', stored: Record<string, string> = {}) {
    const { url, sandbox } = await startGateway();
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    onTestFinished(() => page.close());
    const origins = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.addInitScript((entries) => {
      for (const [name, value] of entries) localStorage.setItem(name, value);
    }, Object.entries(stored));
    await page.goto(url + search);
    return { page, url, sandbox, origins, complaints };
  }

  const run = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const bar = (page: Page) => page.getByLabel('What operations cost');
  const shows = (page: Page, text: string | RegExp) => bar(page).getByText(text).waitFor();

  test('GraphiQL runs a query, and the bar shows what it would cost and did cost', async () => {
    const { page, sandbox } = await visit();
    await page.getByRole('tab', { name: 'RateHistory' }).getByText('RateHistory').click();
    await shows(page, 'Would cost FX 2');
    expect(sandbox.requests()).toEqual([]);
    await run(page);
    await page.locator('.result-window').getByText('"fxRate"').waitFor();
    await shows(page, 'FX 2 spent 998 left');
    await shows(page, '2 requests · 0 cache hits');
    await shows(page, /fresh for \d+ s/);
    await shows(page, 'Would cost nothing');
    expect(sandbox.spent()).toEqual({ fx: 2, macro: 0, credits: 0 });
  });

  test('GraphiQL contacts no other host and complains about nothing', async () => {
    const { page, url, origins, complaints } = await visit();
    await run(page);
    await shows(page, /Credits 3 spent/);
    expect([...origins].filter((origin) => origin !== 'null')).toEqual([new URL(url).origin]);
    expect(complaints).toEqual([]);
  });

  test('a link opens a query with its variables', async () => {
    const query = 'query Shared($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
    const variables = JSON.stringify({ pair: 'EURUSD' });
    const { page, sandbox } = await visit(`?${String(new URLSearchParams({ query, variables }))}`);
    await run(page);
    await page.locator('.result-window').getByText('"EURUSD"').waitFor();
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('with a header for dry runs that is kept, the documentation is still there', async () => {
    const stored = { 'graphiql:headers': '{"x-usage-dry-run":"1"}' };
    const { page, sandbox } = await visit('', stored);
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.getByText('Root Types').waitFor();
    await run(page);
    await page
      .locator('.result-window')
      .getByText(/estimate/)
      .waitFor();
    expect(sandbox.requests()).toEqual([]);
  });
});
