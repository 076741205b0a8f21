import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { listen } from '../../src/transport/node.ts';
import { access, open, temporaryFolder } from '../harness.ts';
import { connect } from './raw-socket.ts';

/** The end of an embedded gateway. */

test('close(Infinity) waits for operations in flight, however long they take', async () => {
  const { sandbox, url } = await open({ unreadUnits: 1 });
  const settings = { ...access(sandbox), DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
  const app = await createApp(readConfig(settings));
  const release = sandbox.fault({ kind: 'hold' });
  onTestFinished(release);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ fxRates { totalCount } }' }),
  };
  const asked = app.fetch(new Request(url, init));
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  const closed = app.close(Infinity);
  // Longer than 1 ms, which a timer of Infinity takes.
  await pause(10);
  release();
  expect(await (await asked).json()).toMatchObject({
    data: { fxRates: { totalCount: expect.any(Number) } },
  });
  await closed;
});

test('WebSockets are closed with 1001, upon which clients connect again elsewhere', async () => {
  const { sandbox } = await open();
  const settings = { ...access(sandbox), DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
  const app = await createApp(readConfig(settings));
  const server = await listen(app, '127.0.0.1', 0);
  const { closed } = await connect(`${server.url}/graphql`);
  await app.close();
  expect(await closed).toBe(1001);
  await server.close(0);
});
