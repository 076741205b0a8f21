import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openKeys, post } from './clients.ts';

test('a clients file with a byte order mark in front, as some editors write it, is served and reloaded', async () => {
  const first = await openKeys([{ name: 'web' }, { name: 'app' }]);
  writeFileSync(first.path, `\uFEFF${readFileSync(first.path, 'utf8')}`);
  const second = await open({ env: first.env });
  const init = post('{ fxRates { nodes { pair } } }', first.headersOf('app'));
  const { extensions } = await second.send(init);
  expect(extensions.usage).toMatchObject({ client: { name: 'app' }, fx: { used: 1 } });
  const clients = [{ name: 'web', keys: first.digestsOf('web') }];
  writeFileSync(first.path, `\uFEFF${JSON.stringify({ clients })}`);
  await expect.poll(async () => (await fetch(second.url, init)).status).toBe(401);
  expect(second.sandbox.spent()).toEqual({ fx: 1, macro: 0, credits: 0 });
});
