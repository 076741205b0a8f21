import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Starts a gateway over a server, and has it spend a unit. */
async function startReplica() {
  const server = await startValkey();
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const env = { ...access(sandbox), SHARED_URL: server.url };
  const { connect, ...replica } = startProcess(env);
  const { ask } = await connect();
  await ask('{ fxRates { totalCount } }');
  return { server, env, ask, ...replica };
}

test.skipIf(NO_SERVER)('units that a process could not report are logged', async () => {
  const { server, child, ask, exited, output } = await startReplica();
  await server.kill();
  await ask('{ macroCatalog { totalCount } calendarEvents { totalCount } }');
  child.kill('SIGTERM');
  await exited;
  const warnings = output.stdout
    .split('\n')
    .filter((line) => line.includes('could not be recorded'));
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, meter: 'macro', units: 1 },
    { level: 50, meter: 'credits', units: 1 },
  ]);
});

test.skipIf(NO_SERVER)('units are reported to a server that is back in a moment', async () => {
  const { server, env, child, ask, exited, output } = await startReplica();
  server.freeze();
  await ask('{ macroCatalog { totalCount } calendarEvents { totalCount } }');
  child.kill('SIGTERM');
  // Later than what it is doing now, and sooner than it gives up.
  setTimeout(() => server.resume(), 300);
  await exited;
  expect(output.stdout).not.toContain('could not be recorded');
  const other = await startProcess(env).connect();
  const { data } = await other.ask(
    '{ usage { fx { usedThisMonth } macro { usedThisMonth } credits { usedThisMonth } } }',
  );
  const [fx, macro, credits] = Array.from({ length: 3 }, () => ({ usedThisMonth: 1 }));
  expect(data).toEqual({ usage: { fx, macro, credits } });
});
