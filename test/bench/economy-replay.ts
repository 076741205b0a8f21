import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import type { App } from '../../src/embed.ts';
import { readConfig } from '../../src/config.ts';
import { MACRO_SERIES } from '../../src/sandbox/lists/macro-series.ts';
import { FIRST_WORDS, SECOND_WORDS } from '../../src/sandbox/lists/crypto-tail.ts';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { dayAt } from '../../src/time.ts';
import type { Market } from './economy-questions.ts';
import type { Visit } from './economy-trace.ts';

/** Sends the operations of a trace to a gateway whose clock is set to the time of each. */

/** A Friday at noon: nothing of the calendar is released in the minutes that follow. */
const START = Date.parse('2026-11-20T12:07:00+03:00');

const TIMES_TO_LIVE = {
  TTL_FX_RATES: '30',
  TTL_CRYPTO: '30',
  TTL_FX_HISTORY: '300',
  TTL_MACRO_SERIES: '300',
  TTL_MACRO_CATALOG: '300',
  TTL_LEGISLATION: '300',
  TTL_CALENDAR: '300',
  TTL_SETTLED_DAYS: '300',
};

/** What the trace may ask about; 20 of the assets rank too low for the longest list. */
export function marketOf(sandbox: Sandbox): Market {
  const { body } = sandbox.answer('B', '/crypto/prices?limit=500');
  const listed = (body as { data: { symbol: string }[] }).data.map(({ symbol }) => symbol);
  const all = FIRST_WORDS.flatMap(([first]) => SECOND_WORDS.map(([second]) => first + second));
  const unlisted = all.filter((symbol) => !listed.includes(symbol)).slice(0, 20);
  return {
    today: dayAt(START, 'Europe/Istanbul'),
    pairs: PAIRS,
    codes: MACRO_SERIES.map(({ code }) => code),
    symbols: [...listed, ...unlisted],
    unlisted: new Set(unlisted),
    countries: ['TR', 'US', 'EU', 'DE', 'GB', 'JP', 'CN', 'CH', 'CA'],
    topics: ['tax', 'labour law', 'banking', 'energy', 'customs', 'zoning', 'data protection'],
  };
}

export function openSandbox(now: () => number = () => START): Promise<Sandbox> {
  return startSandbox({ now });
}

async function send(app: App, { questions }: Visit): Promise<void> {
  const query = `{ ${questions.map(({ field }, i) => `q${i}: ${field}`).join(' ')} }`;
  const request = new Request('http://gateway/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  });
  const text = await (await app.fetch(request)).text();
  if (text.includes('"errors":')) throw new Error(`${query}\n${text.slice(0, 1000)}`);
}

/** The path of each request, once for each unit that the sandbox charged for it. */
export async function replay(visits: readonly Visit[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'marketgraph-'));
  let now = START;
  const sandbox = await openSandbox(() => now);
  const { groupA, groupB } = sandbox;
  const access = { GROUP_A_URL: groupA.url, GROUP_A_KEY: groupA.key };
  const more = { GROUP_B_URL: groupB.url, GROUP_B_KEY: groupB.key, DATA_DIR: folder };
  const config = readConfig({ ...access, ...more, ...TIMES_TO_LIVE });
  const app = await createApp(config, { now: () => now, log: pino({ level: 'silent' }) });
  for (const [at, together] of Map.groupBy(visits, (visit) => visit.at)) {
    now = START + at;
    await Promise.all(together.map((visit) => send(app, visit)));
  }
  await app.close();
  await sandbox.close();
  await rm(folder, { recursive: true });
  return sandbox.requests().flatMap(({ path, cost }) => Array.from({ length: cost }, () => path));
}
