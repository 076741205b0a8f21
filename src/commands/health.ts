import { connect } from 'node:net';
import { expectNoArguments } from '../config/arguments.ts';
import { withoutBrackets } from '../config/loopback.ts';
import { commandLine } from './command-line.ts';

/**
 * `marketgraph health`: exits with 0 if the gateway at HOST and PORT answers, else with 1. For the health checks of
 * containers that have no other program to ask with. It uses a bare TCP connection: it is run every few seconds,
 * and would take twice as long with an HTTP client.
 */

const TIMEOUT_MS = 2000;
/** Where to reach a gateway that listens on all addresses. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { HOST, PORT } = process.env;
const address = withoutBrackets(HOST?.trim() || '127.0.0.1');
const host = LOOPBACK[address] ?? address;
const port = Number(PORT?.trim() || 4000);

expectNoArguments(`usage: ${commandLine('health')}
Exits with 0 if the gateway at HOST and PORT answers GET /health with 200, else with 1 and a line that says why.
It takes no arguments.`);

if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write('marketgraph: PORT: must be 0 to 65535\n');
  process.exit(1);
}

function end(problem?: string): never {
  if (problem === undefined) process.exit(0);
  process.stderr.write(`marketgraph: ${host}:${port} ${problem}\n`);
  process.exit(1);
}

const connection = connect(port, host, () => {
  connection.write(`GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
});
connection.setTimeout(TIMEOUT_MS, () => end(`did not answer within ${TIMEOUT_MS} ms`));
connection.once('data', (data) => {
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(String(data)) ?? [];
  if (status === '200') end();
  end(status === undefined ? 'does not answer in HTTP' : `answers with status ${status}`);
});
connection.once('end', () => end('closed the connection without an answer'));
connection.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
