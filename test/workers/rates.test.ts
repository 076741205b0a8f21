import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/clients/keys.ts';
import { temporaryFolder } from '../harness.ts';
import { startTeam } from './team.ts';

/** A client has its operations a minute only once, whichever workers its connections reach. */

const LIMIT = 30;

test('operations a minute are counted by all workers together', async () => {
  const file = join(temporaryFolder(), 'clients.json');
  const keys = [`sha256:${digestOf('some-key')}`];
  const client = { name: 'app', keys, operationsPerMinute: LIMIT };
  writeFileSync(file, JSON.stringify({ clients: [client] }));
  const team = await startTeam({ CLIENTS_FILE: file });
  const statuses: number[] = [];
  for (let i = 0; i < LIMIT * 2; i += 1)
    statuses.push((await team.ask('{ __typename }', { 'x-api-key': 'some-key' })).status);
  const served = statuses.filter((status) => status === 200).length;
  expect(served).toBeGreaterThanOrEqual(LIMIT);
  // If each counted for itself, the two would serve all; what passes within some milliseconds is reported too late.
  expect(served).toBeLessThan(LIMIT * 1.5);
  expect(statuses.at(-1)).toBe(429);
});
