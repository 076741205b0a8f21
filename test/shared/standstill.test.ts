import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

const RATES = '{ fxRates { totalCount } }';

test.skipIf(NO_SERVER)('a replica that stood still asks for nothing others have got', async () => {
  const server = await startValkey();
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const env = { ...access(sandbox), SHARED_URL: server.url, FX_MONTHLY_LIMIT: '1000' };
  const one = startProcess(env);
  const { ask } = await one.connect();
  const other = await startProcess(env).connect();
  // Connections are open.
  await ask('{ usage { fx { usedThisMonth } } }');
  one.child.kill('SIGSTOP');
  await other.ask(RATES);
  await pause(2500);
  const asked = ask(RATES);
  await pause(100);
  one.child.kill('SIGCONT');
  const { errors, extensions } = await asked;
  expect(errors).toEqual([]);
  expect(extensions).toMatchObject({ usage: { fx: { used: 0, usedThisMonth: 1 } } });
});
