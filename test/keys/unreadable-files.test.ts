import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { write } from '../persisted/gateway.ts';
import { temporaryFolder } from '../harness.ts';

/** Files that have changed while they could not be read. */

const DIGEST = sha256('a key');

const program = (path: string) => `
  import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
  import pino from ${url('pino')};
  import { openClients } from ${url('../../src/clients/clients.ts')};
  setInterval(() => undefined, 1000);
  const path = ${JSON.stringify(path)};
  const file = openSync(path, 'r+');
  const told = Promise.withResolvers();
  const lines = [];
  const log = pino({ level: 'error' }, { write: (line) => { lines.push(line); told.resolve(); } });
  const clients = await openClients({ path, log, everyMs: 5 });
  const revoked = new Promise((resolve) => clients.whenRevoked('${DIGEST}', resolve));
  const held = [];
  try { for (;;) held.push(openSync('/dev/null')); } catch {}
  ftruncateSync(file);
  writeSync(file, '{ "clients": [] }', 0);
  await told.promise;
  await new Promise((resolve) => setTimeout(resolve, 50));
  held.forEach(closeSync);
  await revoked;
  process.stdout.write(lines.join(''));
  process.exit();`;

const url = (path: string) => JSON.stringify(import.meta.resolve(path));

/** Runs a program that may open only few files, so that it soon runs out of descriptors. */
const WITH_FEW_FILES = 'ulimit -n 100 && exec "$0" --input-type=module -e "$1"';

test('a key that is revoked while no descriptor is free is refused as soon as one is', async () => {
  const path = write(temporaryFolder(), 'clients.json', {
    clients: [{ name: 'web', keys: [`sha256:${DIGEST}`] }],
  });
  const args = ['-c', WITH_FEW_FILES, process.execPath, program(path)];
  const { stdout } = await promisify(execFile)('sh', args, { timeout: 120_000 });
  expect(stdout.trim().split('\n')).toEqual([expect.stringContaining('EMFILE')]);
});
