import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/transport/node.ts';
import { access, connect, temporaryFolder } from '../harness.ts';
import { openAdmin, samplesOf, sum } from '../observe/admin.ts';

test('a stream that the server around the gateway has answered itself is ended', async () => {
  const { app, metrics } = await openAdmin();
  const server = createServer((request, response) => {
    app.handler(request, response);
    response.writeHead(503).end('too late');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const query = encodeURIComponent('subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }');
  const init = { headers: { accept: 'text/event-stream' } };
  const reply = await fetch(`http://127.0.0.1:${port}/graphql?query=${query}`, init);
  expect([reply.status, await reply.text()]).toEqual([503, 'too late']);
  const replies = async () => samplesOf(await metrics(), 'http_server_request_duration_seconds');
  await expect.poll(async () => (await replies()).length).toBeGreaterThan(0);
  expect(sum(await metrics(), 'marketgraph_open_event_streams')).toBe(0);
});

test('a request that cannot be answered at all is cut off, and the log says why', async () => {
  let isBroken = false;
  const now = () => {
    if (isBroken) throw new Error('the clock is broken');
    return Date.now();
  };
  const sandbox = await startSandbox();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const config = readConfig({ ...access(sandbox), DATA_DIR: temporaryFolder() });
  const app = await createApp(config, { log, now });
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close(1000);
    await app.close();
    await sandbox.close();
  });
  const { ask } = connect(`${server.url}/graphql`);
  isBroken = true;
  await expect(ask('{ __typename }')).rejects.toThrow('fetch failed');
  isBroken = false;
  expect(lines.join('')).toMatch(/the clock is broken.*a request cannot be answered/);
  expect((await ask('{ __typename }')).errors).toEqual([]);
});
