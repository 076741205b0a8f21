import { expect, test } from 'vitest';
import { createSharedCounts } from '../../src/clients/shared-counts.ts';
import type { News } from '../../src/shared/news.ts';

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
