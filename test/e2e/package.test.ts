import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { temporaryFolder } from '../harness.ts';
import { watchProcess } from './child.ts';
import { ENV, install, makeFolders, ROOT } from './installed.ts';

/** The npm package, as it is installed. */

const SANDBOX = { ...ENV, PORT: '0', ADMIN_PORT: '0' };

const { sources, folder } = makeFolders();
const command = join(folder, 'node_modules/marketgraph/bin/marketgraph.cjs');
beforeAll(() => install({ sources, folder }));
afterAll(() => {
  for (const one of [sources, folder]) rmSync(one, { recursive: true });
});

/** Runs Node with these arguments in the folder of the installed package, until it ends. */
const marketgraph = (args: readonly string[], env = {}) =>
  spawnSync(process.execPath, [...args], {
    cwd: folder,
    env: { ...ENV, ...env },
    encoding: 'utf8',
  });

test('it is one package, with neither tests nor sources in it', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(
    ['marketgraph'],
  );
  const files = readdirSync(join(folder, 'node_modules/marketgraph'), {
    recursive: true,
    encoding: 'utf8',
  });
  expect(files.filter((name) => /(^|\/)(test|src)\/|[^d]\.ts$/.test(name))).toEqual([]);
});

test('it has the licenses of everything that is bundled, the Studio included', () => {
  const licenses = ['licenses.md', 'studio/licenses.md'].map((file) =>
    readFileSync(join(folder, 'node_modules/marketgraph/dist', file), 'utf8'),
  );
  for (const name of ['undici', 'monaco-editor', 'react', 'uplot'])
    expect(licenses.join('')).toContain(`\n## ${name} - `);
});

test('with nothing configured, the command serves the sandbox and the Studio, and stops cleanly', async () => {
  const gateway = watchProcess([command], { cwd: folder, env: SANDBOX });
  const { get, url } = await gateway.connect();
  expect(await get('{ fxRate(pair: "USDTRY") { pair } }')).toEqual({ fxRate: { pair: 'USDTRY' } });
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  const [, script = ''] = /src="\.\/(graphql\/studio\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  const loaded = await fetch(new URL(script, url));
  expect(await loaded.text()).toContain('query MarketPage');
  const { hostname, port } = new URL(url);
  const health = { HOST: hostname, PORT: port };
  expect(marketgraph([command, 'health'], health)).toMatchObject({ status: 0, stderr: '' });
  gateway.child.kill('SIGTERM');
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(marketgraph([command, 'health'], health)).toMatchObject({ status: 1 });
});

describe('other commands', () => {
  test('a new key lets its client in', async () => {
    const { stdout, status } = marketgraph([command, 'client', 'add', 'app']);
    expect({ status, key: stdout.trim() }).toEqual({
      status: 0,
      key: expect.stringMatching(/^mg_/),
    });
    const env = { ...SANDBOX, CLIENTS_FILE: 'clients.json' };
    const gateway = watchProcess([command], { cwd: folder, env });
    const url = `${await gateway.url()}/graphql?query=%7B__typename%7D`;
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers })).status).toBe(200);
  });

  test('print their usage, and a list of all commands', () => {
    const { stdout } = marketgraph([command, 'client', '--help']);
    expect(stdout).toContain('usage: marketgraph client COMMAND');
    const help = marketgraph([command, '--help']).stdout;
    for (const name of ['client', 'spent', 'check-manifest', 'health'])
      expect(help).toContain(`marketgraph ${name} `);
    expect(marketgraph([command, 'nothing'])).toMatchObject({ status: 1, stdout: '' });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(marketgraph([command, '--version']).stdout).toBe(`${version}\n`);
  });

  test.each(['--help', '--version', 'client --help', 'spent --help'])(
    '%s: a closed pipe is not an error',
    (args) => {
      const script = `{ "$0" "$1" ${args}; echo "$?" >&2; } | true`;
      const { stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, command], {
        cwd: folder,
        env: ENV,
        encoding: 'utf8',
      });
      expect(stderr).toBe('0\n');
    },
  );

  test('a manifest is checked, and what was spent is printed', () => {
    const manifest = join(ROOT, 'src/operations/generated/apollo-manifest.json');
    expect(marketgraph([command, 'check-manifest', manifest])).toMatchObject({ status: 0 });
    expect(marketgraph([command, 'spent'])).toMatchObject({ status: 1 });
    const upstream = { url: 'http://127.0.0.1:9', key: 'none' };
    const env = {
      GROUP_A_URL: upstream.url,
      GROUP_A_KEY: upstream.key,
      GROUP_B_URL: upstream.url,
      GROUP_B_KEY: upstream.key,
    };
    const DATA_DIR = temporaryFolder();
    const onTrouble = { begins: () => undefined, ends: () => undefined };
    unitsInSqlite({ path: join(DATA_DIR, 'ledger.sqlite'), now: Date.now, onTrouble }).close();
    const { stdout } = marketgraph([command, 'spent'], { ...env, DATA_DIR });
    expect(stdout).toBe('hour,meter,client,operation,dataset,units\n');
  });
});

test('with a Node that is too old, it says so in one line', () => {
  const fakeVersion = join(folder, 'pretend.cjs');
  for (const version of ['18.20.0', '22.18.0', '23.11.0']) {
    const code = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
    writeFileSync(fakeVersion, code);
    const { status, stderr } = marketgraph(['--require', fakeVersion, command]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `marketgraph: needs Node 22.19, or 24 and later; this is Node ${version}\n`,
    });
  }
});

const USE = `
const config = readConfig({ SANDBOX: '1', ADMIN_PORT: '0' });
const app = await createApp(config);
const answer = await app.fetch(new Request('http://localhost/graphql?query=%7B__typename%7D'));
console.log(await answer.text());
await app.close();
`;

describe('what it exports', () => {
  test('can be used from JavaScript, by import and by require', () => {
    const files = {
      'use.mjs': `import { createApp, readConfig } from 'marketgraph';${USE}`,
      'use.cjs': `const { createApp, readConfig } = require('marketgraph');(async () => {${USE}})();`,
    };
    for (const [name, code] of Object.entries(files)) {
      writeFileSync(join(folder, name), code);
      expect(marketgraph([name]).stdout).toContain('"__typename":"Query"');
    }
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types, with no other package installed: %s, %s', (module, moduleResolution) => {
    const typed = `import { createServer } from 'node:http';
import { type App, ConfigError, createApp, type Config, readConfig } from 'marketgraph';
export const config: Config = readConfig(process.env);
export const app: App = await createApp(config);
createServer(app.serverOptions, app.handler).on('upgrade', app.upgrade).listen(config.port);
export const problem: string = new ConfigError('none').message;
// @ts-expect-error There is no such option.
await createApp(config, { nothing: 1 });
// @ts-expect-error The port is a number.
export const text: string = config.port;
`;
    writeFileSync(join(folder, 'use.mts'), typed);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2023',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const project = { compilerOptions, files: ['use.mts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(marketgraph([tsc, '-p', folder])).toMatchObject({ status: 0, stdout: '' });
  });
});
