import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** `marketgraph health`, against servers that are not a healthy gateway. */

const MAIN = join(import.meta.dirname, '../../src/commands/health.ts');

async function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], { env });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, stderr };
}

/** Runs the command against a server that answers any request with `reply`. */
async function healthOf(reply: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(reply));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { code, stderr } = await run({ PORT: String(port) });
  server.close();
  return { code, message: stderr.replace(`marketgraph: 127.0.0.1:${port} `, '') };
}

test.each([
  ['HTTP/1.1 200 OK\r\n\r\n', 0, ''],
  ['HTTP/1.1 503 Service Unavailable\r\n\r\n', 1, 'answers with status 503\n'],
  ['SSH-2.0-server\r\n', 1, 'does not answer in HTTP\n'],
  ['', 1, 'closed the connection without an answer\n'],
])('a server that answers %j ends the command with %i', async (reply, code, message) => {
  expect(await healthOf(reply)).toEqual({ code, message });
});

test.each(['abc', '70000', '-1', '1.5'])('PORT=%s is refused in one line', async (PORT) => {
  const stderr = 'marketgraph: PORT: must be 0 to 65535\n';
  expect(await run({ PORT })).toEqual({ code: 1, stderr });
});

test.each(['[::1]', '[::]'])('HOST=%s is the loopback address of IPv6', async (HOST) => {
  // Port 0 listens nowhere, with or without IPv6.
  const { code, stderr } = await run({ HOST, PORT: '0' });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^marketgraph: ::1:0 E(CONNREFUSED|ADDRNOTAVAIL|AFNOSUPPORT|NETUNREACH)\n$/,
  );
});
