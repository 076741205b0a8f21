import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type AppOptions, createApp } from '../src/app.ts';
import type { App } from '../src/embed.ts';
import { readConfig } from '../src/config.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/sandbox/sandbox.ts';
import { type Meter, METERS } from '../src/meters.ts';
import { listen } from '../src/transport/node.ts';
import { type Reply, readReply } from './reply.ts';
import { type Clock, createClock } from './sandbox/harness.ts';

/** Sandbox and gateway for one test, closed when it is over. */

type Env = Record<string, string>;
type UnreadUnits = number | Partial<Record<Meter, number>>;

export interface OpenOptions extends SandboxOptions {
  /** Variables of the gateway, besides those that point it at the sandbox. */
  env?: Env;
  /** Units that the test spends without reading the answer; a number: of FX quota. */
  unreadUnits?: UnreadUnits;
  /** The gateways' clock for waiting; by default it follows the clock of the test. */
  monotonic?: () => number;
}

export interface Gateway {
  url: string;
  /** Answers without HTTP. */
  fetch: App['fetch'];
  /** Sends an operation. */
  ask<T = unknown>(query: string, variables?: object): Promise<Reply<T>>;
  /** Sends an operation that must not fail, and returns its data. */
  get<T>(query: string, variables?: object): Promise<T>;
  /** Sends any request; `search` is its query string. */
  send(init: RequestInit, search?: string): Promise<Reply & { headers: Headers }>;
  /** Sends an operation, compares its stated cost with the upstream's own count, and returns that count. */
  cost(query: string, variables?: object): Promise<number>;
}

export interface Bench extends Gateway {
  sandbox: Sandbox;
  clock: Clock & { advance(ms: number): void };
  /** Everything the gateways logged. */
  log(): string;
  /** Registers a reply that did not come through `send`, to be counted and checked like the others after the test. */
  noteReply(reply: Reply, text: string): void;
  /** Another gateway over the same sandbox, with an empty cache. */
  another(env?: Env, aheadMs?: number): Promise<Gateway>;
}

/**
 * Returns a short upstream timeout if a request is to hang, else the usual one. Even the short one leaves
 * two seconds to requests that do not hang.
 */
export const timeoutFor = (kind: string): Env =>
  kind === 'hang' ? { UPSTREAM_TIMEOUT_MS: '2000' } : {};

/** Text in the bodies of faults that may never reach a client or a log line. */
export const SECRET = 'inner-words-of-the-upstream';

export async function open({
  env,
  now,
  monotonic,
  unreadUnits = 0,
  ...options
}: OpenOptions = {}): Promise<Bench> {
  const fixed = createClock();
  const clock = {
    ...fixed,
    ...(now && { now }),
    advance: (ms: number) => fixed.set(new Date(fixed.now() + ms).toISOString()),
  };
  const sandbox = await startSandbox({ now: clock.now, ...options });
  const seen: Seen = { lines: [], texts: [], replies: [] };
  const close: (() => Promise<void>)[] = [];
  // Callbacks run in reverse order: the folder is removed after the gateways have closed.
  const folder = temporaryFolder();
  onTestFinished(async () => {
    for (const end of close.toReversed()) await end();
    await sandbox.close();
    checkConservation(seen, sandbox, unreadUnits);
    checkSilence(seen, sandbox);
  });
  const start = async (extra: Env = {}, aheadMs = 0) => {
    const clocks = { now: () => clock.now() + aheadMs, ...(monotonic && { monotonic }) };
    const DATA_DIR = mkdtempSync(join(folder, 'data-'));
    const own = { DATA_DIR, ...access(sandbox), ...extra };
    const { gateway, end } = await startGateway(own, clocks, seen);
    close.push(end);
    return withCost(gateway, sandbox);
  };
  const noteReply = (reply: Reply, text: string) => {
    seen.texts.push(text);
    seen.replies.push(reply);
  };
  const log = () => seen.lines.join('');
  return { ...(await start(env)), sandbox, clock, log, noteReply, another: start };
}

/** Everything that left the gateways of a test. */
interface Seen {
  lines: string[];
  texts: string[];
  replies: Reply[];
}

export const access = ({ groupA, groupB }: Sandbox): Env => ({
  GROUP_A_URL: groupA.url,
  GROUP_A_KEY: groupA.key,
  GROUP_B_URL: groupB.url,
  GROUP_B_KEY: groupB.key,
  // Tests start with a line known to be fast, so that requests are widened; tests of the line override this.
  UPSTREAM_BYTES_PER_SECOND: '1000000000',
});

/** A folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function startGateway(env: Env, clocks: Omit<AppOptions, 'log'>, seen: Seen) {
  const log = pino({ level: 'trace' }, { write: (line: string) => void seen.lines.push(line) });
  const app = await createApp(readConfig(env), { ...clocks, log });
  const server = await listen(app, '127.0.0.1', 0);
  const end = async () => {
    await server.close(1000);
    await app.close();
  };
  const gateway = connect(`${server.url}/graphql`, seen);
  return { gateway: { ...gateway, fetch: app.fetch }, end };
}

/** Talks to a running endpoint. */
export function connect(url: string, seen?: Seen) {
  async function send(init: RequestInit, search = '') {
    const response = await fetch(url + search, init);
    const text = await response.text();
    const reply = readReply(response.status, text);
    seen?.texts.push(text, JSON.stringify([...response.headers]));
    seen?.replies.push(reply);
    return { ...reply, headers: response.headers };
  }
  async function ask<T = unknown>(query: string, variables?: object): Promise<Reply<T>> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const reply = await send({
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    });
    return { ...reply, data: reply.data as T };
  }
  async function get<T>(query: string, variables?: object): Promise<T> {
    const { data, errors } = await ask<T>(query, variables);
    expect(errors).toEqual([]);
    return data;
  }
  return { url, send, ask, get };
}

function withCost(gateway: Omit<Gateway, 'cost'>, sandbox: Sandbox): Gateway {
  return {
    ...gateway,
    async cost(query, variables) {
      const before = { requests: sandbox.requests().length, spent: sandbox.spent() };
      const { errors, extensions } = await gateway.ask(query, variables);
      expect(errors).toEqual([]);
      const requests = sandbox.requests().length - before.requests;
      const spent = sandbox.spent();
      expect(extensions.usage.upstream.requests).toBe(requests);
      for (const meter of METERS)
        expect(extensions.usage[meter].used).toBe(spent[meter] - before.spent[meter]);
      return requests;
    },
  };
}

/** The conservation law: the units that operations report are those that the upstream has counted. */
function checkConservation({ replies }: Seen, sandbox: Sandbox, unreadUnits: UnreadUnits): void {
  const first = typeof unreadUnits === 'number' ? { fx: unreadUnits } : unreadUnits;
  const reported = { fx: 0, macro: 0, credits: 0, ...first };
  for (const { extensions } of replies)
    for (const meter of METERS) reported[meter] += extensions.usage[meter].used;
  expect(reported).toEqual(sandbox.spent());
}

/** Checks that no address, key or error text of the upstream reaches a client or a log line. */
function checkSilence({ lines, texts }: Seen, { groupA, groupB }: Sandbox): void {
  const { host } = new URL(groupA.url);
  const forbidden = [host, groupA.key, groupB.key, SECRET, 'x-api-key', 'apikey ', 'stack'];
  for (const text of [...lines, ...texts]) {
    for (const word of forbidden) expect(text).not.toContain(word);
    expect(text).not.toMatch(/\bat \S+ \(|node_modules|node:internal|\/v1\/|\/crypto\/prices/);
  }
}
