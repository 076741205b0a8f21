import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The Chromium on the PATH, for tests of the pages. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((file) => existsSync(file));

export const hasBrowser = executablePath !== undefined;

if (!hasBrowser)
  process.stdout.write(`pages are not tested: none of ${NAMES.join(', ')} is on the PATH\n`);

/** Arguments for a browser that sends no requests of its own. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath!, args: ARGUMENTS });
