import { once } from 'node:events';
import type { Server } from 'node:http';
import { duplexPair } from 'node:stream';
import pino from 'pino';
import { type Config, readConfig } from './config.ts';
import type { App } from './embed.ts';
import { createServer } from './node-http.ts';
import { readAssets } from './studio/assets.ts';

/**
 * Runs typical operations several times in a separate gateway, over the sandbox, before the port opens. In a process
 * that has just started no function is compiled yet: its first answers would take several times as long as later ones.
 */

/** A page with something of every dataset, and a chart. */
const OPERATIONS = ['market-page.graphql', 'rate-chart.graphql'];
/**
 * How often each operation is run. The first round asks the sandbox for everything, the others find it fresh, like the
 * first request after a restart. Further rounds make hardly anything faster.
 */
const ROUNDS = 3;
/** Maximum time for the warm-up: a busy machine starts without the rest of it. */
const MAX_MS = 2000;

/**
 * They are read like any configuration: V8 optimizes for the shapes of objects that it has seen, and with a
 * configuration built in another way hot answers took a tenth longer.
 */
const SETTINGS = { SANDBOX: '1', STUDIO: '0', ADMIN_PORT: '0' };

type CreateApp = (config: Config, options: typeof OPTIONS) => Promise<App>;

/**
 * The warm-up gateway logs nothing. It stores answers, so that the code that stores an upstream's answers runs, too.
 * This many legislation changes in an answer warm up V8 as well as the sandbox's whole archive of two years.
 */
const OPTIONS = {
  log: pino({ enabled: false }),
  keepsInMemory: true,
  sandbox: { legislationPageSize: 30 },
};

/** Warms up for `maxMs` at most; never rejects. */
export async function warmUp(createApp: CreateApp, maxMs = MAX_MS): Promise<void> {
  const signal = AbortSignal.timeout(maxMs);
  try {
    const app = await createApp(readConfig(SETTINGS), OPTIONS);
    try {
      await askAll(createServer(app.handler), signal);
    } finally {
      await app.close();
    }
  } catch {
    // It has taken too long, or a sandbox cannot be served here; nothing else depends on it.
  }
}

async function askAll(server: Server, signal: AbortSignal): Promise<void> {
  const texts = OPERATIONS.map((name) => readAssets()[name] ?? '');
  // Each round's text differs, since a text that has been parsed once would not be parsed again.
  for (let round = 0; round < ROUNDS; round += 1)
    await Promise.all(texts.map((text) => ask(server, `${text}# ${round}`, signal)));
}

/** Sends a request over a connection within the process, so that node:http is warmed up, too. */
async function ask(server: Server, query: string, signal: AbortSignal): Promise<void> {
  const [client, connection] = duplexPair();
  server.emit('connection', connection);
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'accept: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  client.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  client.resume();
  await once(client, 'end', { signal });
  client.end();
}
