import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_WORDS, SECOND_WORDS } from '../../src/sandbox/lists/crypto-tail.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

/**
 * The upstream of an attack, as a separate process: the sandbox behind a server that refuses long request
 * lines. It reports where it listens, and answers questions over its channel. It ends with its parent.
 */

export interface UpstreamOptions {
  latencyMs?: number;
  bytesPerSecond?: number;
  /** Limit of Group B. */
  requestsPerSecond?: number;
  /** The first longer request target is accepted; any that is still longer is refused with 431. */
  learnMaxTarget?: number;
  /** How many invalid records the calendar answers with. */
  invalidRecords?: number;
}

/** How many requests there were, by path; and tickers beyond the first 500. */
export interface UpstreamCount {
  requests: Record<string, number>;
  rareTickers: string[];
}

const options: UpstreamOptions = JSON.parse(process.argv[2] ?? '{}');
const {
  learnMaxTarget = Infinity,
  invalidRecords,
  latencyMs = 0,
  bytesPerSecond = null,
  requestsPerSecond = null,
} = options;
const sandbox = await startSandbox({ latencyMs, bytesPerSecond, requestsPerSecond });
const { port: sandboxPort } = new URL(sandbox.groupA.url);

if (invalidRecords !== undefined) {
  const data = Array.from({ length: invalidRecords }, (_, i) => ({ id: i, datetime: 'never' }));
  const rewrite = (body: unknown) => ({ ...Object(body), data });
  sandbox.fault({ kind: 'rewrite', path: '/calendar/events', rewrite });
}

let maxTarget = Infinity;
const proxy = createServer({ maxHeaderSize: 1024 * 1024 }, ({ url = '', headers }, response) => {
  if (maxTarget === Infinity && url.length > learnMaxTarget) maxTarget = url.length;
  if (url.length > maxTarget) {
    response.writeHead(431).end();
    return;
  }
  const passed = send({ port: sandboxPort, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.once('error', () => response.destroy());
  response.once('close', () => passed.destroy());
  passed.end();
});

// Longer than a gateway keeps a connection, so that no request meets one that is being closed.
proxy.keepAliveTimeout = 60_000;
proxy.listen(0, '127.0.0.1', () => {
  const { port } = proxy.address() as AddressInfo;
  const throughProxy = (url: string) => url.replace(sandboxPort, String(port));
  process.send?.({
    GROUP_A_URL: throughProxy(sandbox.groupA.url),
    GROUP_A_KEY: sandbox.groupA.key,
    GROUP_B_URL: throughProxy(sandbox.groupB.url),
    GROUP_B_KEY: sandbox.groupB.key,
  });
});

function count(): UpstreamCount {
  const requests: Record<string, number> = {};
  for (const { path } of sandbox.requests()) {
    const name = path.split('?')[0] ?? '';
    requests[name] = (requests[name] ?? 0) + 1;
  }
  const combined = FIRST_WORDS.flatMap(([a]) => SECOND_WORDS.map(([b]) => a + b));
  const { body } = sandbox.answer('B', '/crypto/prices?limit=500');
  const first = JSON.stringify(body);
  const rare = combined.filter((symbol) => !first.includes(`"symbol":"${symbol}"`));
  return { requests, rareTickers: rare.slice(0, 50) };
}

process.on('message', () => process.send?.(count()));
process.on('disconnect', () => process.exit());
