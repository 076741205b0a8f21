import { createServer } from 'node:http';
import { join } from 'node:path';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openOutput } from '../../src/observe/log-output.ts';
import { GATEWAY } from './turns-load.ts';

/**
 * Several gateways in one process and behind one port, which answer in turns of many requests: whatever disturbs
 * the machine or the process disturbs all of them alike. Each request names its gateway (turns-load.ts). GET /turns
 * returns the processor time of an answer in each turn, by gateway, and clears it.
 *
 *   node test/bench/turns.ts '{"folder": "...", "perTurn": 1000, "gateways": [{...variables}, ...]}'
 */

interface Setting {
  folder: string;
  perTurn: number;
  gateways: readonly Record<string, string>[];
}

const { folder, perTurn, gateways }: Setting = JSON.parse(process.argv[2] ?? '');
const output = openOutput();

/** No gateway listens, so they can all have the same port. */
async function open(variables: Record<string, string>, i: number) {
  const config = readConfig({ PORT: '1', DATA_DIR: join(folder, String(i)), ...variables });
  const log = config.logLevel === 'info' ? output.logger('info') : pino({ enabled: false });
  return createApp(config, { log });
}

const apps = await Promise.all(gateways.map(open));
const nothing = () => gateways.map((): number[] => []);

let micros = nothing();
let current = 0;
let answered = 0;
let before = process.cpuUsage();

function startTurn(gateway: number): void {
  const { user, system } = process.cpuUsage(before);
  micros[current]!.push((user + system) / answered);
  current = gateway;
  answered = 0;
  before = process.cpuUsage();
}

const server = createServer((request, response) => {
  if (request.url === '/turns') {
    response.end(JSON.stringify(micros));
    micros = nothing();
    return;
  }
  const gateway = Number(request.headers[GATEWAY]);
  // Where two turns meet, requests of both arrive: a few are counted with the other gateway.
  if (gateway !== current && answered > perTurn / 2) startTurn(gateway);
  answered += 1;
  apps[gateway]!.handler(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  output.write(`http://127.0.0.1:${port}/graphql\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void Promise.all(apps.map((app) => app.close())).then(() => process.exit());
});
