import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The upstream's health check costs nothing: what it has found is told for a second, however often it is asked for. */

const query = (name: string) => `query ${name} { health { ok status } }`;

test('however many ask for the health of the upstream, it is asked once a second', async () => {
  const { ask, sandbox, clock } = await open();
  const checks = async (round: string) => {
    const names = Array.from({ length: 10 }, (_, i) => `${round}${i}`);
    const together = await Promise.all(names.map((name) => ask(query(name))));
    const later = await ask(query(`${round}Later`));
    for (const { data } of [...together, later])
      expect(data).toEqual({ health: { ok: true, status: expect.any(String) } });
    return sandbox.requests().length;
  };
  expect(await checks('First')).toBe(1);
  clock.advance(999);
  expect(await checks('Second')).toBe(1);
  clock.advance(1);
  expect(await checks('Third')).toBe(2);
});

test('that it does not answer is told for as long, and no dry run is taken for a check', async () => {
  const { ask, send, sandbox, clock } = await open();
  const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
  await send({ method: 'POST', headers, body: JSON.stringify({ query: query('Dry') }) });
  const heal = sandbox.fault({ kind: 'status', path: '/health' });
  const isOk = async (name: string) => (await ask<Health>(query(name))).data.health.ok;
  expect(await isOk('Down')).toBe(false);
  heal();
  expect(await isOk('StillDown')).toBe(false);
  clock.advance(1000);
  expect(await isOk('Up')).toBe(true);
  expect(sandbox.requests()).toHaveLength(2);
});

interface Health {
  health: { ok: boolean };
}
