import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { write as writeFile } from '../persisted/gateway.ts';
import { temporaryFolder } from '../harness.ts';
import { expectEvents } from '../live/gateway.ts';
import type { Subscriber } from '../live/subscriber.ts';
import { type Keys, post } from './clients.ts';
import { isOpen, lastCodes, listen, LIVE, socketOf } from './listening.ts';

/** Ways in which an operator revokes a key, and every way of asking that must then be refused. */

const COMMAND = join(import.meta.dirname, '../../src/commands/client.ts');
/** With this compile cache, a command starts twice as fast. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/** `npm run client -- …` */
async function command({ path }: Keys, ...args: string[]): Promise<string> {
  const env = { ...process.env, CLIENTS_FILE: path, NODE_COMPILE_CACHE };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { env });
  return stdout.trim();
}

/** Gives `web` a second key, which `keys` know as `web, new`. */
export async function rotate(keys: Keys): Promise<void> {
  keys.keyOf['web, new'] = await command(keys, 'rotate', 'web');
  await expect.poll(() => statuses(keys, 'web, new')).toEqual(SERVED);
}

export const finish = (keys: Keys) => command(keys, 'rotate', 'web', '--finish');

/** Each revokes the first key of `web`, and none of `app`. */
export const REVOCATIONS: readonly { name: string; revoke(keys: Keys): Promise<unknown> }[] = [
  { name: 'the file is written anew', revoke: async ({ write }) => write([{ name: 'app' }]) },
  { name: 'client remove', revoke: (keys) => command(keys, 'remove', 'web') },
  { name: 'client rotate --finish', revoke: (keys) => rotate(keys).then(() => finish(keys)) },
];

/** What `statuses` returns for a valid key, and for one that is not. */
export const SERVED = new Set([200]);
export const REFUSED = new Set([401]);

const TYPE = '{ __typename }';
const ID = sha256(TYPE);

/** Writes a manifest that lists TYPE; returns its path. */
export const writeManifest = () => writeFile(temporaryFolder(), 'manifest.json', { [ID]: TYPE });

/** Returns the statuses of a query that is sent in every way with one key. */
export async function statuses({ bench, headersOf }: Keys, client: string, url = bench.url) {
  const headers = headersOf(client);
  const get = { headers: { ...headers, 'graphql-require-preflight': '1' } };
  const all = [
    fetch(url, post(TYPE, headers)),
    fetch(url, post(TYPE, { ...headers, accept: 'text/event-stream' })),
    fetch(url, post(TYPE, { ...headers, accept: 'multipart/mixed' })),
    fetch(`${url}?query=${encodeURIComponent(TYPE)}`, get),
    fetch(`${url}/${ID}`, get),
    bench.fetch(new Request(url, post(TYPE, headers))),
  ];
  const replies = await Promise.all(all);
  await Promise.all(replies.map((reply) => reply.text()));
  return new Set(replies.map(({ status }) => status));
}

export interface Streams {
  socket: Subscriber;
  events: Subscriber[];
}

/** Opens a WebSocket and streams of server-sent events, and waits for the first event of each. */
export async function openStreams(keys: Keys, client: string, url?: string): Promise<Streams> {
  const { bench, headersOf } = keys;
  const socket = socketOf(keys, client, url).subscribe(LIVE);
  const events = [
    await listen(url ?? bench.url, headersOf(client), 'GET'),
    await listen(url ?? bench.url, headersOf(client), 'POST'),
  ];
  await expectEvents([socket, ...events], 1);
  return { socket, events };
}

/** Waits until all have ended, each in its way. */
export async function expectEnded({ socket, events }: Streams): Promise<void> {
  expect(await socket.ended).toMatchObject({ code: 4401, reason: 'Unauthorized' });
  for (const one of events) {
    await one.ended;
    expect(lastCodes(one)).toEqual(['UNAUTHENTICATED']);
    expect(one.events).toHaveLength(2);
  }
}

export async function expectOpen({ socket, events }: Streams): Promise<void> {
  for (const one of [socket, ...events]) expect(await isOpen(one)).toBe(true);
}
