import { Agent, request } from 'node:http';
import { Worker } from 'node:worker_threads';

/**
 * Another client, as a separate process: it asks /health, a question whose answer is kept, and questions that
 * nobody has asked before, and reports how long the answers took. It also asks an idle server, to distinguish a
 * gateway that is held up from a machine that is.
 */

const INTERVAL_MS = 15;
const COLD_INTERVAL_MS = 500;

/** Milliseconds. */
export interface Watched {
  /** The longest time from a request for /health to an answer. */
  healthGap: number;
  /** The same for the idle server. */
  idleGap: number;
  /** How long the answers of that server took. */
  idle: number[];
  hot: number[];
  cold: number[];
  /** Questions whose answer was an error, or none. */
  failed: string[];
}

const [url = ''] = process.argv.slice(2);
const watched: Watched = { healthGap: 0, idleGap: 0, idle: [], hot: [], cold: [], failed: [] };
const agent = new Agent({ keepAlive: true });
/** For each kind of question, since when it has had no answer. */
const unansweredSince = new Map<string, number>();
const stopping = new AbortController();

function get(address: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const sent = request(address, { agent, method: body ? 'POST' : 'GET', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => (text += String(chunk)));
      answer.once('end', () => resolve(`${answer.statusCode} ${text}`));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Asks again and again; the wait of a question that fails lasts until the next answer. */
async function keepAsking(name: string, everyMs: number, ask: () => Promise<string>) {
  while (!stopping.signal.aborted) {
    const startedAt = unansweredSince.get(name) ?? performance.now();
    unansweredSince.set(name, startedAt);
    const asked = performance.now();
    const failure = await ask().catch(String);
    if (!failure) note(name, startedAt);
    else if (name === 'hot' || name === 'cold') watched.failed.push(`${name}: ${failure}`);
    const pauseMs = everyMs - (performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, pauseMs)));
  }
}

function note(name: string, startedAt: number): void {
  unansweredSince.delete(name);
  const took = performance.now() - startedAt;
  if (name === 'health') watched.healthGap = Math.max(watched.healthGap, took);
  else if (name === 'idle') noteIdle(took);
  else if (name === 'hot') watched.hot.push(took);
  else watched.cold.push(took);
}

function noteIdle(took: number): void {
  watched.idleGap = Math.max(watched.idleGap, took);
  watched.idle.push(took);
}

/** Returns what is wrong; an empty string if nothing is. */
async function askHealth(address: string): Promise<string> {
  const text = await get(address);
  return text.startsWith('200') ? '' : text;
}

async function askGraphql(query: string): Promise<string> {
  const text = await get(`${url}/graphql`, JSON.stringify({ query }));
  return text.startsWith('200') && !text.includes('"errors"') ? '' : text.slice(0, 300);
}

const IDLE = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const idle = new Worker(IDLE, { eval: true });

idle.once('message', (port: number) => {
  let coldCount = 0;
  const cold = () =>
    `{ legislationChanges(filter: { search: "nobody asked ${(coldCount += 1)}" }) { totalCount } }`;
  const hot = '{ fxRates(first: 10) { nodes { pair buying selling } } }';
  void keepAsking('idle', INTERVAL_MS, () => askHealth(`http://127.0.0.1:${port}/`));
  void keepAsking('health', INTERVAL_MS, () => askHealth(`${url}/health`));
  void keepAsking('hot', INTERVAL_MS, () => askGraphql(hot));
  void keepAsking('cold', COLD_INTERVAL_MS, () => askGraphql(cold()));
  process.send?.('ready');
});

/** Questions that are still unanswered have waited until now. */
function end(): void {
  stopping.abort();
  for (const [name, startedAt] of unansweredSince) note(name, startedAt);
  process.send?.(watched, () => process.exit());
}

/** Discards what was seen while the gateway was still loading its code. */
function begin(): void {
  Object.assign(watched, { healthGap: 0, idleGap: 0, idle: [], hot: [], cold: [], failed: [] });
  process.send?.('begun');
}

process.on('message', (command) => (command === 'begin' ? begin() : end()));
process.on('disconnect', () => process.exit());
