import { once } from 'node:events';
import { createServer } from 'node:http';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { readReply, type Reply } from '../reply.ts';
import { fromWholeMinute } from '../whole-minute.ts';
import { type Family, readExposition, type Sample } from './exposition.ts';

/** A gateway over a sandbox, and its admin listener. */

export type Families = Map<string, Family>;

/** Returns the samples of a metric that have at least these labels. */
export function samplesOf(
  all: Families,
  name: string,
  labels: Record<string, string> = {},
): Sample[] {
  const samples = all.get(name)?.samples ?? [];
  const wanted = Object.entries(labels);
  return samples.filter((one) => wanted.every(([label, value]) => one.labels[label] === value));
}

export const sum = (...of: Parameters<typeof samplesOf>): number =>
  samplesOf(...of).reduce((total, { value }) => total + value, 0);

export async function openAdmin(env: Record<string, string> = {}) {
  const now = fromWholeMinute();
  const sandbox = await startSandbox({ now });
  const config = readConfig({ ...access(sandbox), DATA_DIR: temporaryFolder(), ...env });
  const app = await createApp(config, { log: pino({ level: 'silent' }), now });
  const server = createServer(app.admin);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await app.close();
    await sandbox.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const send = async (request: Request): Promise<Reply> => {
    const response = await app.fetch(request);
    return readReply(response.status, await response.text());
  };
  const post = (body: object, headers: Record<string, string> = {}) =>
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const ask = (query: string, headers: Record<string, string> = {}) =>
    send(post({ query }, headers));
  const get = (path: string, init: RequestInit = {}) => fetch(url + path, init);
  const metrics = async () => readExposition(await (await get('/metrics')).text());
  return { app, url, ask, send, post, get, metrics, sandbox };
}
