import { createServer } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limitVariable, METERS } from '../../src/meters.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { startProcess, watchProcess } from './child.ts';

/** The gateway as a process: how it starts, and what outlives it. */

const RATE = '{ fxRate(pair: "USDTRY") { pair } }';

async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe('with nothing configured', () => {
  test('it answers its first query, from a sandbox', async () => {
    const gateway = startProcess();
    const { ask } = await gateway.connect();
    const { data, errors, extensions } = await ask(RATE);
    expect([data, errors]).toEqual([{ fxRate: { pair: 'USDTRY' } }, []]);
    expect(extensions.sandbox).toBe(true);
    const [first, second] = gateway.output.stdout.split('\n');
    expect(`${first}${second}`).toMatch(/sandbox.*synthetic/i);
    expect(gateway.output.stderr).toBe('');
  });

  test('it says that it is alive and ready', async () => {
    const url = await startProcess().url();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/ready?probe=1`)).status).toBe(200);
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
  });
});

test('with an upstream configured it uses no sandbox', async () => {
  const sandbox = await openSandbox();
  const gateway = startProcess(access(sandbox));
  const { ask } = await gateway.connect();
  expect((await ask(RATE)).extensions.sandbox).toBeUndefined();
  expect(sandbox.requests()).toHaveLength(1);
  expect(gateway.output.stdout).not.toMatch(/sandbox_|synthetic/i);
});

test('likely mistakes are reported at the start', async () => {
  const sandbox = await openSandbox();
  const { GROUP_B_URL, ...others } = access(sandbox);
  const gateway = startProcess({
    ...others,
    GROUP_B_URL: `${GROUP_B_URL}`.replace(/\/v1$/, ''),
    FX_MONTHY_LIMIT: '10',
    MACRO_MONTHLY_LIMIT: '10',
    OTEL_SDK_DISABLED: 'yes',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/v1/traces/',
  });
  await gateway.url();
  const lines = [
    'FX_MONTHY_LIMIT: is not a known variable',
    'FX quota, Credits: set FX_MONTHLY_LIMIT, CREDITS_MONTHLY_LIMIT',
    'GROUP_B_URL: does not',
    'OTEL_SDK_DISABLED: treated as false',
    'OTEL_EXPORTER_OTLP_ENDPOINT: /v1/traces is appended to it',
  ];
  for (const line of lines) await expect.poll(() => gateway.output.stdout).toContain(line);
});

test('with limits, and the addresses of the spec, nothing is reported', async () => {
  const sandbox = await openSandbox();
  const limits = METERS.map((meter) => [limitVariable(meter), '10']);
  const gateway = startProcess({ ...access(sandbox), ...Object.fromEntries(limits) });
  const { ask } = await gateway.connect();
  await ask(RATE);
  expect(gateway.output.stdout).not.toContain('"level":40');
});

test('an address that answers only with 404 causes one warning', async () => {
  const sandbox = await openSandbox();
  for (const path of ['/legislation', '/crypto'])
    sandbox.fault({ kind: 'status', status: 404, path, times: 9 });
  const gateway = startProcess(access(sandbox));
  const { ask } = await gateway.connect();
  await ask('{ fxRates { totalCount } cryptoAssets { totalCount } }');
  await ask('{ legislationChanges(filter: { start: "2026-11-01" }) { totalCount } }');
  await expect.poll(() => gateway.output.stdout).toContain('check GROUP_B_URL');
  expect(gateway.output.stdout.match(/is a 404/g)).toHaveLength(1);
});

const COMMANDS = ['main.ts', 'demo/main.ts', 'commands/replicas.ts', 'commands/health.ts'];

test.each(COMMANDS)('%s takes no arguments, and says so', async (name) => {
  const program = fileURLToPath(new URL(`../../src/${name}`, import.meta.url));
  const refused = watchProcess([program, '--port', '5000'], { env: {} });
  expect((await refused.exited).code).toBe(2);
  expect(refused.output.stderr).toMatch(/^usage: /);
  const helped = watchProcess([program, '--help'], { env: {} });
  expect((await helped.exited).code).toBe(0);
  expect(helped.output.stdout).toBe(refused.output.stderr);
});

const UPSTREAMS = {
  GROUP_A_URL: 'https://a.example',
  GROUP_A_KEY: 'key_aaaaaaaa',
  GROUP_B_URL: 'https://b.example/v1',
  GROUP_B_KEY: 'key_bbbbbbbb',
};

const { GROUP_B_KEY: _key, ...WITHOUT_KEY } = UPSTREAMS;

const INVALID: [what: string, env: Record<string, string>, names: string[]][] = [
  ['a folder it cannot create', { ...UPSTREAMS, DATA_DIR: '/proc/marketgraph/data' }, ['DATA_DIR']],
  ['an origin without a scheme', { CORS_ORIGINS: 'example.com' }, ['CORS_ORIGINS']],
  ['half a configuration', WITHOUT_KEY, ['GROUP_B_KEY']],
  ['a malformed URL', { ...UPSTREAMS, GROUP_B_URL: 'b.example/v1' }, ['GROUP_B_URL']],
  ['a malformed number', { TTL_CRYPTO: 'soon' }, ['TTL_CRYPTO']],
  ['production without keys', { NODE_ENV: 'production' }, Object.keys(UPSTREAMS)],
];

/** Expects one readable line that names the variables and shows no key. */
function expectOneLine(stderr: string, names: string[]): void {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  for (const name of names) expect(stderr).toContain(name);
  expect(stderr).not.toMatch(/\bat \S+ \(|node:|\.ts\b|key_aaaaaaaa|key_bbbbbbbb/);
}

describe('it does not start', () => {
  test.each(INVALID)('with %s', async (_what, env, names) => {
    const { exited, output } = startProcess(env);
    expect((await exited).code).toBe(1);
    expectOneLine(output.stderr, names);
    expect(output.stdout).toBe('');
  });

  async function occupyPort(): Promise<string> {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    return typeof address === 'object' ? String(address?.port) : '';
  }

  test.each(['PORT', 'ADMIN_PORT'])('on a port that is taken: %s', async (name) => {
    const port = await occupyPort();
    const { exited, output } = startProcess({ [name]: port });
    expect((await exited).code).toBe(1);
    expectOneLine(output.stderr, [name, port]);
  });

  test('with a file in place of the folder for its ledger', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const { exited, output } = startProcess({ ...UPSTREAMS, DATA_DIR: file });
    expect((await exited).code).toBe(1);
    expectOneLine(output.stderr, ['DATA_DIR']);
  });
});

describe('the ledger', () => {
  test('survives a killed process, and counts the units of requests in flight', async () => {
    const sandbox = await openSandbox();
    const env = { ...access(sandbox), DATA_DIR: temporaryFolder(), CREDITS_MONTHLY_LIMIT: '3' };
    const first = startProcess(env);
    const { ask } = await first.connect();
    await ask('{ fxRates { totalCount } cryptoAssets { totalCount } }');
    sandbox.fault({ kind: 'hang', path: '/calendar' });
    const ended = ask('{ calendarEvents { totalCount } }').catch((error: unknown) => error);
    await expect.poll(() => sandbox.requests()).toHaveLength(3);
    first.child.kill('SIGKILL');
    expect((await first.exited).signal).toBe('SIGKILL');
    expect(await ended).toBeInstanceOf(Error);

    const again = await startProcess(env).connect();
    const { extensions } = await again.ask('{ __typename }');
    expect(extensions.usage.fx.usedThisMonth).toBe(1);
    expect(extensions.usage.credits.usedThisMonth).toBe(2);
    await again.ask('{ cryptoAssets(convert: TRY) { totalCount } }');
    const { errors } = await again.ask('{ cryptoAssets(convert: EUR) { totalCount } }');
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
  });

  test('of a sandbox is not kept', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const first = startProcess(env);
    const { ask } = await first.connect();
    await ask(RATE);
    first.child.kill('SIGTERM');
    await first.exited;
    const again = await startProcess(env).connect();
    expect((await again.ask('{ __typename }')).extensions.usage.fx.usedThisMonth).toBe(0);
  });
});
