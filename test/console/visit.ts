import type { Browser, BrowserContextOptions } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** Opens the console in a browser, and records the page's problems and the origins of its requests. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const page = await browser.newPage(options);
  const problems: string[] = [];
  const hosts = new Set<string>();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  page.setDefaultTimeout(60_000);
  onTestFinished(() => page.close());
  await page.goto(url);
  return { page, problems, hosts };
}
