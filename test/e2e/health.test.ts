import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The upstream's health check costs no units, but anybody may ask for it, so it is sent at a limited rate. */

interface Health {
  health: { ok: boolean };
}

const QUERY = '{ health { ok } }';

test('the health of the upstream is requested once in a tenth of a second, however many ask for it', async () => {
  const { get, sandbox, clock } = await open();
  for (let ms = 0; ms < 500; ms += 20) {
    expect(await get(QUERY)).toEqual({ health: { ok: true } });
    clock.advance(20);
  }
  expect(sandbox.requests()).toHaveLength(5);
});

test('a change shows within a tenth of a second, and a dry run does not count as a check', async () => {
  const { get, send, sandbox, clock } = await open();
  const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
  await send({ method: 'POST', headers, body: JSON.stringify({ query: QUERY }) });
  expect(sandbox.requests()).toHaveLength(0);
  const isOk = async () => (await get<Health>(QUERY)).health.ok;
  expect(await isOk()).toBe(true);
  const heal = sandbox.fault({ kind: 'status', path: '/health' });
  clock.advance(100);
  expect(await isOk()).toBe(false);
  heal();
  clock.advance(100);
  expect(await isOk()).toBe(true);
});

test('a check that gets no answer counts as a failed request', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault({ kind: 'reset', path: '/health' });
  const { data, extensions } = await ask<Health>(QUERY);
  expect(data.health.ok).toBe(false);
  expect(extensions.usage.upstream).toMatchObject({ requests: 1, failed: 1 });
});
