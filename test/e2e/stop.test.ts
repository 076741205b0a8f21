import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { freePort } from '../valkey.ts';
import { MAIN, startProcess, watchProcess } from './child.ts';

/** How the gateway's process stops, and that it counts all units. */

const RATE = '{ fxRate(pair: "USDTRY") { pair } }';
const SUBSCRIPTION = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
const CLEAN_EXIT = { code: 0, signal: null };

/** Starts a gateway whose upstream answers only once `release` is called. */
async function start(extra: Record<string, string> = {}) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const release = sandbox.fault({ kind: 'hold' });
  const env = { ...access(sandbox), DATA_DIR: temporaryFolder(), ...extra };
  const gateway = startProcess(env);
  const waitForRequest = async () => {
    await expect.poll(() => sandbox.requests()).toHaveLength(1);
  };
  /** Sends a signal, and waits until the gateway logs it. */
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    gateway.child.kill(signal);
    await expect.poll(() => gateway.output.stdout).toContain(signal);
  };
  return { sandbox, env, release, waitForRequest, stop, ...gateway, ...(await gateway.connect()) };
}

/** Sends so many operations that no pipe can hold all their log lines. */
async function fillLog(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '{"query":"{ __typename }"}' };
  for (let i = 0; i < 150; i += 1)
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url, init)).text()));
}

describe('if the log cannot be written', () => {
  const shell = (script: string, port: number) =>
    watchProcess(
      ['-c', script, process.execPath, MAIN],
      {
        env: {
          PATH: process.env['PATH'],
          PORT: String(port),
          ADMIN_PORT: '0',
          DATA_DIR: temporaryFolder(),
        },
      },
      'sh',
    );
  const isReachable = async (url: string) => (await fetch(url).catch(() => undefined))?.ok;

  test.skipIf(!existsSync('/dev/full'))(
    'because the disk is full, it serves, and a signal ends it',
    async () => {
      const port = await freePort();
      const gateway = shell('exec "$0" "$1" > /dev/full', port);
      await expect.poll(() => isReachable(`http://127.0.0.1:${port}/health`)).toBe(true);
      await fillLog(`http://127.0.0.1:${port}/graphql`);
      gateway.child.kill('SIGTERM');
      expect(await gateway.exited).toEqual(CLEAN_EXIT);
    },
  );

  test('because the reader has stalled, it serves, and a signal ends it', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PORT: String(port), ADMIN_PORT: '0', DATA_DIR: temporaryFolder() },
    });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => isReachable(`http://127.0.0.1:${port}/health`)).toBe(true);
    await fillLog(`http://127.0.0.1:${port}/graphql`);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});

/** Starts the gateway again, and returns the FX units in its ledger. */
async function onRecord(env: Record<string, string>): Promise<number> {
  const { ask } = await startProcess(env).connect();
  return (await ask('{ __typename }')).extensions.usage.fx.usedThisMonth;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

test.each(SIGNALS)('it finishes running operations after %s, and exits with 0', async (signal) => {
  const { waitForRequest, ask, exited, release, stop } = await start();
  const running = ask(RATE);
  await waitForRequest();
  await stop(signal);
  release();
  expect(await running).toMatchObject({ status: 200, data: { fxRate: { pair: 'USDTRY' } } });
  expect(await exited).toEqual(CLEAN_EXIT);
});

describe('it waits for a request in flight that no client waits for:', () => {
  test.each([
    ['that of a client that has disconnected', RATE],
    ['that of a subscription', SUBSCRIPTION],
  ])('%s', async (_whose, query) => {
    const { sandbox, env, waitForRequest, url, exited, release, stop } = await start();
    const client = new AbortController();
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json', accept: '*/*, text/event-stream' };
    const { signal } = client;
    const running = fetch(url, { method: 'POST', headers, body, signal }).catch(() => 'left');
    await waitForRequest();
    if (query === RATE) client.abort();
    await stop();
    release();
    expect(await exited).toEqual(CLEAN_EXIT);
    await running;
    expect(sandbox.spent().fx).toBe(1);
    expect(await onRecord(env)).toBe(1);
  });
});

test('it exits with 0 even if the upstream never answers, and counts the unit', async () => {
  // Only the gateway's own limit for stopping ends the wait: the upstream has an hour to answer.
  const hour = String(3_600_000);
  const timeouts = { UPSTREAM_TIMEOUT_MS: hour, OPERATION_TIMEOUT_MS: hour };
  const { env, waitForRequest, ask, exited, output, stop } = await start(timeouts);
  const running = ask(RATE).catch((error: unknown) => error);
  await waitForRequest();
  await stop();
  expect(await exited).toEqual(CLEAN_EXIT);
  expect(await running).toBeInstanceOf(Error);
  expect(output.stdout).not.toMatch(/"level":[56]0/);
  expect(output.stderr).toBe('');
  expect(await onRecord(env)).toBe(1);
});
