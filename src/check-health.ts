import { get } from 'node:http';

/**
 * `marketgraph health`: ends with 0 if the gateway answers that HOST and PORT name, else with 1. For
 * containers, which have nothing else to ask it with.
 */

const TIMEOUT_MS = 2000;
/** What it listens on where it listens on all addresses. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { HOST, PORT } = process.env;
const host = HOST || '127.0.0.1';
const port = PORT || '4000';
const where = { host: LOOPBACK[host] ?? host, port, path: '/health', timeout: TIMEOUT_MS };

function fail(problem: string): void {
  process.stderr.write(`marketgraph: ${where.host}:${port} ${problem}\n`);
  process.exitCode = 1;
}

const request = get(where, (answer) => {
  answer.resume();
  if (answer.statusCode !== 200) fail(`says ${answer.statusCode}`);
});
request.once('timeout', () => request.destroy(new Error(`${TIMEOUT_MS} ms without an answer`)));
request.once('error', ({ message }) => fail(message));
