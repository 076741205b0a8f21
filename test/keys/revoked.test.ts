import { rmSync, writeFileSync } from 'node:fs';
import pino from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openClients } from '../../src/clients/clients.ts';
import { expectEvents } from '../live/gateway.ts';
import { makePipe } from '../pipe.ts';
import { type Keys, openKeys } from './clients.ts';
import { POLL_OFTEN } from './listening.ts';
import {
  expectEnded,
  expectOpen,
  finish,
  writeManifest,
  openStreams,
  REFUSED,
  rotate,
  SERVED,
  statuses,
  REVOCATIONS,
} from './revoking.ts';

/** A revoked key is refused everywhere, and the streams opened with it end. */

const TWO_CLIENTS = [{ name: 'web' }, { name: 'app' }];

/** Opens a gateway with both clients. `unreadUnits`: units of FX that the streams of a test spend. */
const openBoth = (unreadUnits: number, env = {}): Promise<Keys> =>
  openKeys(TWO_CLIENTS, {
    unreadUnits,
    env: { ...POLL_OFTEN, PERSISTED_DOCUMENTS: writeManifest(), ...env },
  });

/** Long enough for the upstream's rates to have moved. */
const STEP_MS = 60_000;

describe.each(REVOCATIONS)('$name', ({ revoke }) => {
  test('queries are refused, streams end, and those of other clients go on', async () => {
    const keys = await openBoth(2);
    const web = await openStreams(keys, 'web');
    const app = await openStreams(keys, 'app');
    expect(await statuses(keys, 'web')).toEqual(SERVED);
    await revoke(keys);
    await expect.poll(() => statuses(keys, 'web')).toEqual(REFUSED);
    await expectEnded(web);
    expect(await statuses(keys, 'app')).toEqual(SERVED);
    await expectOpen(app);
    keys.bench.clock.advance(STEP_MS);
    await expectEvents([app.socket, ...app.events], 2);
  });
});

test('while a key is rotated both keys are valid; then the streams of the older one end', async () => {
  const keys = await openBoth(1);
  const older = await openStreams(keys, 'web');
  await rotate(keys);
  const newer = await openStreams(keys, 'web, new');
  expect(await statuses(keys, 'web')).toEqual(SERVED);
  await expectOpen(older);
  await finish(keys);
  await expectEnded(older);
  expect(await statuses(keys, 'web')).toEqual(REFUSED);
  expect(await statuses(keys, 'web, new')).toEqual(SERVED);
  await expectOpen(newer);
});

test('a client that begins to listen with a key that has just been revoked is told at once', async () => {
  const { path, digestsOf, write } = await openBoth(0);
  const clients = await openClients({ path, log: pino({ level: 'silent' }), everyMs: 10 });
  onTestFinished(clients.close);
  const digest = digestsOf('web')[0]!.replace('sha256:', '');
  const notified: string[] = [];
  clients.whenRevoked(digest, () => void notified.push('before'));
  clients.whenRevoked(digest, () => void notified.push('left'))();
  write([{ name: 'app' }]);
  await expect.poll(() => notified).toEqual(['before']);
  clients.whenRevoked(digest, () => void notified.push('after'));
  expect(notified).toEqual(['before', 'after']);
});

/** Retried since the machine may be busy: only being late every time is a fault. */
test('a revoked key is refused, and its streams end, within a second', { retry: 5 }, async () => {
  const keys = await openBoth(1);
  const web = await openStreams(keys, 'web');
  const ended = [web.socket, ...web.events].map((one) => one.ended);
  keys.write([{ name: 'app' }]);
  const startedAt = performance.now();
  await Promise.all(ended);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(await statuses(keys, 'web')).toEqual(REFUSED);
});

test('a key that is back in the file is valid again', async () => {
  const keys = await openBoth(0);
  keys.write([{ name: 'app' }]);
  await expect.poll(() => statuses(keys, 'web')).toEqual(REFUSED);
  keys.write(TWO_CLIENTS);
  await expect.poll(() => statuses(keys, 'web')).toEqual(SERVED);
});

test.each([
  ['is no JSON', '{"clients": ['],
  ['has an unknown field', JSON.stringify({ clients: [{ name: 'app', kees: [] }] })],
])('a file that %s changes nothing, and is logged', async (_what, text) => {
  const keys = await openBoth(1);
  const web = await openStreams(keys, 'web');
  writeFileSync(keys.path, text);
  await expect.poll(() => keys.bench.log()).toContain('CLIENTS_FILE: not reloaded: ');
  expect(await statuses(keys, 'web')).toEqual(SERVED);
  await expectOpen(web);
  keys.write([{ name: 'app' }]);
  await expectEnded(web);
  expect(await statuses(keys, 'web')).toEqual(REFUSED);
});

test('a pipe in the place of the file changes nothing, and the file is taken up once it is there', async () => {
  const keys = await openBoth(0);
  rmSync(keys.path);
  makePipe(keys.path);
  await expect.poll(() => keys.bench.log()).toContain('not a regular file');
  expect(await statuses(keys, 'web')).toEqual(SERVED);
  rmSync(keys.path);
  keys.write([{ name: 'app' }]);
  await expect.poll(() => statuses(keys, 'web')).toEqual(REFUSED);
});

test('a file without clients serves nobody, and says so', async () => {
  const keys = await openBoth(0);
  keys.write([]);
  await expect.poll(() => statuses(keys, 'web')).toEqual(REFUSED);
  expect(keys.bench.log()).toContain('CLIENTS_FILE: lists no client');
});

test('two gateways with the same file take it up, each by itself', async () => {
  const keys = await openBoth(2);
  const { url } = await keys.bench.another({
    ...POLL_OFTEN,
    CLIENTS_FILE: keys.path,
    PERSISTED_DOCUMENTS: writeManifest(),
  });
  const all = [await openStreams(keys, 'web'), await openStreams(keys, 'web', url)];
  const others = [await openStreams(keys, 'app'), await openStreams(keys, 'app', url)];
  keys.write([{ name: 'app' }]);
  for (const streams of all) await expectEnded(streams);
  for (const one of [keys.bench.url, url])
    await expect.poll(() => statuses(keys, 'web', one)).toEqual(REFUSED);
  for (const streams of others) await expectOpen(streams);
  expect(await statuses(keys, 'app', url)).toEqual(SERVED);
});
