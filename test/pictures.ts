import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from './browser.ts';

/** `npm run pictures`: makes the README's pictures, of a fresh sandbox and of the demo's month. */

const root = fileURLToPath(new URL('..', import.meta.url));
const file = (name: string) => join(root, 'docs/images', name);
const WINDOW = { width: 1280, height: 800 };

/** Starts a program of this project, and waits until it prints an address of this form. */
async function start(program: string, env: Record<string, string>, address: RegExp) {
  const child = spawn(process.execPath, [join(root, program)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const [, url] = address.exec(line) ?? [];
    if (url) return { child, url };
  }
  throw new Error(`${program} has stopped without an address`);
}

async function end(child: ChildProcess): Promise<void> {
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await over;
}

async function shoot(page: Page, url: string, name: string, ready: string[]): Promise<void> {
  await page.goto(url);
  for (const selector of ready) await page.locator(selector).first().waitFor();
  // Until fonts are loaded and lines drawn.
  await page.waitForTimeout(2000);
  await page.screenshot({ path: file(name) });
  process.stdout.write(`docs/images/${name}\n`);
}

async function main(): Promise<void> {
  if (!hasBrowser) throw new Error('Chromium has to be on the PATH');
  mkdirSync(file(''), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-pictures-'));
  const sandbox = { SANDBOX: '1', PORT: '0', ADMIN_PORT: '0', DATA_DIR: folder };
  const browser = await launchBrowser();
  const page = await browser.newPage({ viewport: WINDOW, reducedMotion: 'reduce' });
  const gateway = await start('src/main.ts', sandbox, /(http:\S+\/graphql)/);
  await shoot(page, gateway.url, 'studio.png', ['.plot canvas', '#query .cost-free', '#cost']);
  await end(gateway.child);
  const demo = await start('src/demo/main.ts', { PORT: '0' }, /Console:\s+(http:\S+)/);
  await shoot(page, demo.url, 'console.png', ['#meters canvas', '#spenders tbody tr']);
  await end(demo.child);
  await browser.close();
  rmSync(folder, { recursive: true });
}

await main();
