import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { access, open, temporaryFolder } from '../harness.ts';

/** A ledger that is no database any more, as after a loss of power. */

const RATES = '{ fxRates(first: 1) { nodes { pair } } }';

function damagedFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'ledger.sqlite'),
    'this is no database, however long it is'.repeat(500),
  );
  return folder;
}

test('where nothing is limited it is put aside, said once, and a new one counts', async () => {
  const folder = damagedFolder();
  const { ask, log } = await open({ env: { DATA_DIR: folder } });
  const { extensions } = await ask(RATES);
  expect(extensions.usage.fx).toMatchObject({ used: 1, usedThisMonth: 1 });
  expect(existsSync(join(folder, 'ledger.sqlite.damaged'))).toBe(true);
  expect(log().match(/the ledger was damaged/g)).toHaveLength(1);
});

test('where a limit is set the start ends with a line that says what to do', async () => {
  const { sandbox } = await open();
  const env = { ...access(sandbox), DATA_DIR: damagedFolder(), FX_MONTHLY_LIMIT: '10' };
  const started = createApp(readConfig(env), { log: pino({ level: 'silent' }) });
  await expect(started).rejects.toThrow(/^DATA_DIR: .*ledger.sqlite is damaged.*move it away/);
});
