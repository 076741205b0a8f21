import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { fromWholeMinute } from '../whole-minute.ts';

/** The Studio in a browser, and what tests do with it. */

/** Starts a gateway over a separate sandbox, so that the gateway does not know that the data are made up. */
async function startGateway(env: Record<string, string> = {}) {
  let aheadMs = 0;
  const clock = fromWholeMinute();
  const now = () => clock() + aheadMs;
  const sandbox = await startSandbox({ now });
  const limits = { FX_MONTHLY_LIMIT: '1000', DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
  const app = await createApp(readConfig({ ...access(sandbox), ...limits, ...env }), { now });
  const server = createServer(app.handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await app.close();
    await sandbox.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    sandbox,
    url: `http://127.0.0.1:${port}/graphql`,
    breakConnections: () => server.closeAllConnections(),
    /** Moves the gateway's clock on, but not the browser's. */
    advance: (ms: number) => void (aheadMs += ms),
  };
}

export interface Visit {
  search?: string;
  env?: Record<string, string>;
  context?: BrowserContextOptions;
  /** Pattern of the addresses of files that load only once `release` is called. */
  hold?: string;
}

/** Opens the Studio of a new gateway; also returns the origins that the page contacted, and its errors. */
export async function visit(browser: Browser, { search = '', env, context, hold }: Visit = {}) {
  const { url, ...gateway } = await startGateway(env);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
  // Of the context, since it also holds for pages that this one opens.
  page.context().setDefaultTimeout(60_000);
  onTestFinished(() => page.close());
  const origins = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const held = Promise.withResolvers<void>();
  if (hold) await page.route(hold, (route) => held.promise.then(() => route.continue()));
  await page.goto(url + search);
  return { page, release: held.resolve, url, ...gateway, origins, complaints };
}

export const SANDBOX = {
  GROUP_A_URL: '',
  GROUP_A_KEY: '',
  GROUP_B_URL: '',
  GROUP_B_KEY: '',
  SANDBOX: '1',
};
export const chart = (page: Page) => page.getByRole('img', { name: /^USD\/TRY from/ });
export const run = (page: Page) => page.getByRole('button', { name: /^Run/ });
export const price = (page: Page) => page.getByLabel('What it will cost');
export const cost = (page: Page) => page.getByLabel('What it cost', { exact: true });
export const ask = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Questions' }).getByRole('button', { name }).click();
export const editor = (page: Page) => page.locator('#query .monaco-editor');
/** Opens the headers, once the editor is there, and types into them. */
export async function typeHeaders(page: Page, text: string) {
  await editor(page).waitFor();
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('#headers .monaco-editor').click();
  await page.keyboard.insertText(text);
}
/** Lets the page believe that it is hidden, e.g. behind another tab, or visible again. */
export const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
export const search = (parameters: Record<string, string>) =>
  `?${String(new URLSearchParams(parameters))}`;
