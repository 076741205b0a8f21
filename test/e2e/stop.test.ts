import { performance } from 'node:perf_hooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { startProcess } from './child.ts';

/** How the gateway's process ends, and that no unit is lost by it. */

const RATE = '{ fxRate(pair: "USDTRY") { pair } }';
const FOLLOW = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
const END = { code: 0, signal: null };

async function start(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const env = { ...access(sandbox), DATA_DIR: temporaryFolder() };
  const gateway = startProcess(env);
  const arrived = () =>
    vi.waitFor(() => expect(sandbox.requests()).toHaveLength(1), { timeout: 5000 });
  return { sandbox, env, arrived, ...gateway, ...(await gateway.connect()) };
}

/** What the ledger holds when the process is gone. */
async function onRecord(env: Record<string, string>): Promise<number> {
  const { ask } = await startProcess(env).connect();
  return (await ask('{ __typename }')).extensions.usage.fx.usedThisMonth;
}

test('it finishes what is running after SIGTERM and exits with 0', async () => {
  const { arrived, ask, child, exited } = await start({ latencyMs: 700 });
  const running = ask(RATE);
  await arrived();
  const began = performance.now();
  child.kill('SIGTERM');
  expect(await running).toMatchObject({ status: 200, data: { fxRate: { pair: 'USDTRY' } } });
  expect(await exited).toEqual(END);
  expect(performance.now() - began).toBeLessThan(5000);
});

describe('it waits for a request under way that nobody waits for any more:', () => {
  test.each([
    ['that of a client who has left', RATE],
    ['that of a subscription', FOLLOW],
  ])('%s', async (_whose, query) => {
    const { sandbox, env, arrived, url, child, exited } = await start({ latencyMs: 700 });
    const client = new AbortController();
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json', accept: '*/*, text/event-stream' };
    const { signal } = client;
    const running = fetch(url, { method: 'POST', headers, body, signal }).catch(() => 'left');
    await arrived();
    if (query === RATE) client.abort();
    child.kill('SIGTERM');
    expect(await exited).toEqual(END);
    await running;
    expect(sandbox.spent().fx).toBe(1);
    expect(await onRecord(env)).toBe(1);
  });
});

test('it exits with 0 within five seconds even where the upstream never answers, and counts the unit', async () => {
  const { sandbox, env, arrived, ask, child, exited, output } = await start();
  sandbox.fault({ kind: 'hang' });
  const running = ask(RATE).catch((error: unknown) => error);
  await arrived();
  const began = performance.now();
  child.kill('SIGTERM');
  expect(await exited).toEqual(END);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(await running).toBeInstanceOf(Error);
  expect(output.stdout).not.toMatch(/"level":[56]0/);
  expect(output.stderr).toBe('');
  expect(await onRecord(env)).toBe(1);
});
