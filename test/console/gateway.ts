import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Report } from '../../src/console/report.ts';
import type { Clock } from '../../src/time.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { fromWholeMinute } from '../whole-minute.ts';

/** Gateways with their console, over one sandbox and one folder of stored data. */

export const RATES = 'query Rates { fxRates(first: 1) { nodes { pair } } }';
export const COINS = 'query Coins { cryptoAssets(first: 1) { nodes { symbol } } }';

const offsetMs = Date.parse('2026-11-20T09:00:00Z') - Date.now();
/** For things that exist only later in a month: whatever today is, this clock starts on the 20th. */
export const lateInMonth: Clock = () => Date.now() + offsetMs;

type Env = Record<string, string>;

async function listenOn(handler: RequestListener | undefined) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}

async function openOne(sandbox: Sandbox, env: Env, now: Clock) {
  const config = readConfig({ ...access(sandbox), ...env });
  const app = await createApp(config, { log: pino({ level: 'silent' }), now });
  const admin = await listenOn(app.admin);
  let isOpen = true;
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    admin.close();
    await app.close();
  }
  onTestFinished(close);
  const get = (path: string, headers: Env = {}) => fetch(`${admin.url}${path}`, { headers });
  const send = (query: string, more: Env) => {
    const headers = { 'content-type': 'application/json', ...more };
    const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
    return app.fetch(new Request('http://localhost/graphql', init));
  };

  return {
    /** Address of the console. */
    url: admin.url,
    get,
    close,
    ask: async (query: string, more: Env = {}) => (await send(query, more)).json(),
    /** Subscribes until the test has ended. */
    async subscribe(query: string): Promise<void> {
      const { body } = await send(query, { accept: 'text/event-stream' });
      const ended = new AbortController();
      void body?.pipeTo(new WritableStream(), ended).catch(() => undefined);
      onTestFinished(() => ended.abort());
    },
    async report(month = ''): Promise<Report> {
      return (await get(`/report.json${month && `?month=${month}`}`)).json();
    },
  };
}

/** `another` opens a further gateway over the same sandbox and the same stored data. */
export async function openConsole(env: Env = {}, now = fromWholeMinute()) {
  const sandbox = await startSandbox({ now });
  onTestFinished(() => sandbox.close());
  const all = { DATA_DIR: temporaryFolder(), ...env };
  const another = () => openOne(sandbox, all, now);
  return { sandbox, another, ...(await another()) };
}
