import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The upstream's health check costs nothing, and still anybody may ask for it. */

interface Health {
  health: { ok: boolean };
}

const QUERY = '{ health { ok } }';

test('however many ask for the health of the upstream, it is asked ten times a second', async () => {
  const { get, sandbox, clock } = await open();
  const askOften = async () => {
    for (let i = 0; i < 15; i += 1) expect(await get(QUERY)).toEqual({ health: { ok: true } });
    return sandbox.requests().length;
  };
  expect(await askOften()).toBe(10);
  clock.advance(999);
  expect(await askOften()).toBe(10);
  clock.advance(1);
  expect(await askOften()).toBe(20);
});

test('a change shows at once, and no dry run is taken for a check', async () => {
  const { get, send, sandbox } = await open();
  const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
  await send({ method: 'POST', headers, body: JSON.stringify({ query: QUERY }) });
  expect(sandbox.requests()).toHaveLength(0);
  const isOk = async () => (await get<Health>(QUERY)).health.ok;
  expect(await isOk()).toBe(true);
  const heal = sandbox.fault({ kind: 'status', path: '/health' });
  expect(await isOk()).toBe(false);
  heal();
  expect(await isOk()).toBe(true);
});
