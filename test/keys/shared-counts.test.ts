import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthenticator } from '../../src/clients/authenticator.ts';
import { openClients } from '../../src/clients/clients.ts';
import { digestOf } from '../../src/clients/keys.ts';
import { createSharedCounts } from '../../src/clients/shared-counts.ts';
import type { News } from '../../src/shared/news.ts';
import { temporaryFolder } from '../harness.ts';

/** Returns the news of two processes that receive each other's messages. */
function openTwo(): [News, News] {
  const listeners: ((text: string) => void)[][] = [[], []];
  const newsOf = (own: number): News => ({
    publish: (_topic, text) => listeners[1 - own]!.forEach((listener) => listener(text)),
    listen: (_topic, listener) => void listeners[own]!.push(listener),
  });
  return [newsOf(0), newsOf(1)];
}

test('operations that passed in another process are counted, whatever the client is called', async () => {
  const [one, other] = openTwo();
  const names = ['app', '__proto__', 'constructor', '1'];
  const received = new Map<string, number>();
  const note = createSharedCounts(one, () => undefined);
  await new Promise<void>((resolve) => {
    createSharedCounts(other, (name, count) => {
      received.set(name, count);
      if (received.size === names.length) resolve();
    });
    for (const name of names) for (let i = 0; i < 2; i += 1) note(name);
  });
  expect([...received]).toEqual(names.map((name) => [name, 2]));
});

test('operations that pass after an announcement are in the next one, and only these', async () => {
  const [one, other] = openTwo();
  const received: [string, number][] = [];
  const note = createSharedCounts(one, () => undefined);
  createSharedCounts(other, (...counted) => void received.push(counted));
  note('app');
  await expect.poll(() => received).toEqual([['app', 1]]);
  for (const name of ['app', 'web', 'app']) note(name);
  const later = [...received, ['app', 2], ['web', 1]];
  await expect.poll(() => received).toEqual(later);
});

test('refused operations count in no process: a client that keeps asking is served after a minute', async () => {
  const path = join(temporaryFolder(), 'clients.json');
  const listed = ['app', 'web'].map((name) => {
    return { name, keys: [`sha256:${digestOf(name)}`], operationsPerMinute: 1 };
  });
  writeFileSync(path, JSON.stringify({ clients: listed }));
  const clients = await openClients({ path, log: pino({ level: 'silent' }) });
  onTestFinished(() => clients.close());
  let now = 0;
  const [news, othersNews] = openTwo();
  const one = createAuthenticator(clients, () => now, news);
  const other = createAuthenticator(clients, () => now, othersNews);
  let announcements = 0;
  othersNews.listen('', () => (announcements += 1));
  const countIn = ({ identify, countOperation }: typeof one, name: string) =>
    countOperation(identify(name)!.client)?.isExceeded;
  expect(countIn(one, 'app')).toBe(false);
  await expect.poll(() => announcements).toBe(1);
  now = 30_000;
  expect([countIn(one, 'app'), countIn(other, 'app')]).toEqual([true, true]);
  // What passes at the same time is announced together.
  expect(countIn(one, 'web')).toBe(false);
  await expect.poll(() => announcements).toBe(2);
  now = 60_000;
  expect(countIn(other, 'app')).toBe(false);
});
