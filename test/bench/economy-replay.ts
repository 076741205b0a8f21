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
import { START } from './economy-trace.ts';
import type { TimesToLive, Trace, Visit } from './economy-visits.ts';

/** Sends the operations of a trace to a gateway whose clock is set to the time of each operation. */

const variables = (ttl: TimesToLive): Record<string, string> => ({
  TTL_FX_RATES: String(ttl.rates),
  TTL_CRYPTO: String(ttl.crypto),
  TTL_FX_HISTORY: String(ttl.history),
  TTL_MACRO_SERIES: String(ttl.series),
  TTL_MACRO_CATALOG: String(ttl.catalog),
  TTL_LEGISLATION: String(ttl.legislation),
  TTL_CALENDAR: String(ttl.calendar),
  TTL_SETTLED_DAYS: String(ttl.settled),
});

/** Returns what a trace may ask about; 20 of the assets rank too low for the longest list. */
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

const ADDRESS = 'http://gateway/graphql';

function requestFor(query: string, isGet = false): Request {
  const accept = 'application/json';
  if (isGet)
    return new Request(`${ADDRESS}?query=${encodeURIComponent(query)}`, { headers: { accept } });
  return new Request(ADDRESS, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query }),
  });
}

async function ask(app: App, query: string, isGet?: boolean): Promise<string> {
  const text = await (await app.fetch(requestFor(query, isGet))).text();
  if (text.includes('"errors":')) throw new Error(`${query}\n${text.slice(0, 1000)}`);
  return text;
}

async function send(app: App, { questions, isGet, isPaged }: Visit): Promise<void> {
  const query = `{ ${questions.map(({ field }, i) => `q${i}: ${field}`).join(' ')} }`;
  let cursor: string | undefined = isPaged ? 'null' : '';
  while (cursor !== undefined) {
    const text = await ask(app, query.replace('CURSOR', cursor), isGet);
    cursor = text.includes('"hasNextPage":true')
      ? /"endCursor":("[^"]*")/.exec(text)?.[1]
      : undefined;
  }
}

/** A request that the sandbox has charged for. */
export interface Paid {
  path: string;
  /** Milliseconds since the trace began. */
  at: number;
  /** Names of the records in its answer. */
  ids: readonly string[];
  bytes: number;
}

const names = new Map<string, string>();

/** Returns the names of an answer's records; each name is kept in memory only once. */
export function idsOf({ body }: ReturnType<Sandbox['answer']>): string[] {
  const { data } = body as { data?: Record<'id' | 'symbol' | 'date' | 'pair' | 'code', string>[] };
  return (data ?? []).map(({ id, symbol, date, pair, code }) => {
    const name = id ?? symbol ?? date ?? pair ?? code;
    if (!names.has(name)) names.set(name, name);
    return names.get(name)!;
  });
}

/** Returns the charged requests from `index` on. Their answers are computed anew: the clock must not have moved. */
function paidSince(sandbox: Sandbox, index: number, at: number): Paid[] {
  const charged = sandbox
    .requests()
    .slice(index)
    .filter(({ cost }) => cost > 0);
  return charged.map(({ group, path }) => {
    const answer = sandbox.answer(group, path);
    return { path, at, ids: idsOf(answer), bytes: JSON.stringify(answer.body).length };
  });
}

export async function replay({ visits, start, ttl }: Trace): Promise<readonly Paid[]> {
  const folder = await mkdtemp(join(tmpdir(), 'marketgraph-'));
  let now = start;
  const sandbox = await openSandbox(() => now);
  const { groupA, groupB } = sandbox;
  const access = { GROUP_A_URL: groupA.url, GROUP_A_KEY: groupA.key };
  const more = { GROUP_B_URL: groupB.url, GROUP_B_KEY: groupB.key, DATA_DIR: folder };
  const config = readConfig({ ...access, ...more, ...variables(ttl) });
  const app = await createApp(config, { now: () => now, log: pino({ level: 'silent' }) });
  const paid: Paid[] = [];
  for (const [at, together] of Map.groupBy(visits, (visit) => visit.at)) {
    now = start + at;
    const before = sandbox.requests().length;
    await Promise.all(together.map((visit) => send(app, visit)));
    paid.push(...paidSince(sandbox, before, at));
  }
  await app.close();
  await sandbox.close();
  await rm(folder, { recursive: true });
  return paid;
}
