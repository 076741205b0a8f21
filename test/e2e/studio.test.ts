import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
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

  /** Over a sandbox of its own, so that the gateway does not know that the data are made up. */
  async function startGateway(env: Record<string, string> = {}) {
    const sandbox = await startSandbox();
    const limits = { FX_MONTHLY_LIMIT: '1000', DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
    const app = await createApp(readConfig({ ...access(sandbox), ...limits, ...env }));
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

  interface Visit {
    search?: string;
    env?: Record<string, string>;
    context?: BrowserContextOptions;
  }

  /** The Studio over a fresh gateway, and all that the page asked for and complained about. */
  async function visit({ search = '', env, context }: Visit = {}) {
    const { url, sandbox } = await startGateway(env);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
    page.setDefaultTimeout(60_000);
    onTestFinished(() => page.close());
    const origins = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(url + search);
    return { page, url, sandbox, origins, complaints };
  }

  const SANDBOX = {
    GROUP_A_URL: '',
    GROUP_A_KEY: '',
    GROUP_B_URL: '',
    GROUP_B_KEY: '',
    SANDBOX: '1',
  };
  const chart = (page: Page) => page.getByRole('img', { name: /^USD\/TRY from/ });
  const run = (page: Page) => page.getByRole('button', { name: /^Run/ });
  const price = (page: Page) => page.getByLabel('What it will cost');
  const cost = (page: Page) => page.getByLabel('What it cost', { exact: true });
  const ask = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Questions' }).getByRole('button', { name }).click();
  const editor = (page: Page) => page.locator('#query .monaco-editor');
  const search = (parameters: Record<string, string>) =>
    `?${String(new URLSearchParams(parameters))}`;

  test('in a sandbox the first question runs by itself, and costs nothing when it is run again', async () => {
    const { page } = await visit({ env: SANDBOX });
    await chart(page).waitFor();
    await cost(page).getByText('Cost 2 FX units').waitFor();
    await cost(page)
      .getByText(/asked again within \d+ s: nothing/)
      .waitFor();
    await page.getByRole('button', { name: 'SANDBOX' }).click();
    await page.getByText('All data here are made up').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Run again costs 0' }).click();
    await cost(page).getByText('Cost nothing').waitFor();
    await page.getByRole('button', { name: 'Weeks' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.locator('.json-view').getByText('"fxRate"').waitFor();
    expect(await page.getByText('"usedThisMonth"').first().isVisible()).toBe(false);
  });

  test('with a real upstream nothing runs by itself that costs something', async () => {
    const { page, sandbox } = await visit();
    await price(page).getByText('Asks the upstream twice: 2 FX units.').waitFor();
    await page.locator('.cost-paid', { hasText: '2 FX' }).waitFor();
    expect(sandbox.requests()).toEqual([]);
    expect(await page.getByRole('button', { name: 'SANDBOX' }).isVisible()).toBe(false);
    await editor(page).click();
    await page.keyboard.press('Control+Enter');
    await chart(page).waitFor();
    expect(sandbox.spent()).toEqual({ fx: 2, macro: 0, credits: 0 });
    await cost(page).getByText('998 of 1,000 FX units left this month').waitFor();
    await page.locator('.cost-free', { hasText: 'free' }).waitFor();
  });

  test('each field has its price beside it, and a limit that is near is told', async () => {
    const { page } = await visit({ env: { FX_MONTHLY_LIMIT: '3' } });
    await ask(page, 'The lira against euro');
    await price(page)
      .getByText(/4 FX units/)
      .waitFor();
    expect(await page.locator('.cost-over').allTextContents()).toEqual(['2 FX', '2 FX', '2 FX']);
    expect(await page.locator('#allowances [data-danger="over"]').textContent()).toContain(
      '3 of 3',
    );
  });

  test('the page contacts no other host, complains about nothing, and is small', async () => {
    const { page, url, origins, complaints } = await visit({ env: SANDBOX });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    expect([...origins].filter((origin) => origin !== 'null')).toEqual([new URL(url).origin]);
    expect(complaints).toEqual([]);
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(1_500_000);
  });

  test('a link opens a query with its variables, and gives one again', async () => {
    const query = 'query Shared($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
    const variables = JSON.stringify({ pair: 'EURUSD' });
    const { page, url, sandbox } = await visit({ search: search({ query, variables }) });
    await price(page).getByText('Asks the upstream once: 1 FX unit.').waitFor();
    await run(page).click();
    await page.getByRole('cell', { name: 'EURUSD' }).waitFor();
    expect(sandbox.requests()).toHaveLength(1);
    await page.getByRole('button', { name: 'Share' }).click();
    const link = new URL(await page.getByLabel('To copy').inputValue());
    expect(link.origin + link.pathname).toBe(url);
    expect(Object.fromEntries(link.searchParams)).toEqual({
      query,
      variables,
      operationName: 'Shared',
    });
    await page.getByRole('button', { name: 'By id' }).click();
    await page.getByText('The gateway knows this id now').waitFor();
    const [, address = ''] =
      /'(http[^']+)'/.exec(await page.getByLabel('To copy').inputValue()) ?? [];
    const answer = await (await fetch(address)).json();
    expect(answer).toMatchObject({ data: { fxRate: { pair: 'EURUSD' } } });
  });

  test('live updates flash', async () => {
    const { page } = await visit({ env: { ...SANDBOX, TTL_CRYPTO: '1' } });
    await ask(page, 'Crypto prices, live');
    await page.getByRole('cell', { name: 'Bitcoin' }).waitFor();
    await page.locator('td.changed').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await run(page).waitFor();
  });

  test('on a phone everything is in one column, and the large editor stays away', async () => {
    const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await visit({ env: SANDBOX, context });
    await chart(page).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
    await page.getByRole('combobox', { name: 'Question' }).selectOption({ label: 'Top gainers' });
    await page.getByRole('columnheader', { name: /change 24h/ }).waitFor();
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
    const { page, sandbox } = await visit();
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('#headers .monaco-editor').click();
    await page.keyboard.insertText('{"x-usage-dry-run":"1"}');
    await run(page).click();
    await page.locator('.json-view').waitFor();
    await page.getByRole('button', { name: 'Docs' }).click();
    await page.getByText('Root Types').waitFor();
    expect(sandbox.requests()).toEqual([]);
  });

  test('Turkish letters are no mistakes, and what was typed is still there after a reload', async () => {
    const { page } = await visit({ env: SANDBOX });
    await editor(page).waitFor();
    await editor(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('# ığüşöçİĞ е\n{ usage { fx { usedThisMonth } } }');
    await price(page).getByText('Costs nothing now').waitFor();
    expect(await page.locator('.unicode-highlight').count()).toBe(0);
    await page.reload();
    await editor(page).getByText('ığüşöçİĞ').waitFor();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    await chart(page).waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page
      .locator('#history-list')
      .getByText(/How did the lira/)
      .first()
      .waitFor();
  });
});
