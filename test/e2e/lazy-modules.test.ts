import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { MAIN, startProcess, watchProcess } from './child.ts';

/** Every module that is loaded at the start makes it slower; modules that only some need are loaded on demand. */

/** Runs before the gateway is loaded; prints all modules loaded by the end, Node's built-in ones by name. */
const REPORT = `
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
process.on('exit', () => process.stderr.write([...urls, ...process.moduleLoadList].join('\\n')));
`;

/** Of OpenTelemetry, only the API is always loaded: prom-client needs it. */
const LOADED_ON_DEMAND = /@redis|@opentelemetry\/(?!api\/)/;
const NODE_FETCH = 'NativeModule internal/deps/undici/undici';

async function modulesLoaded(env: Record<string, string>, accept: string): Promise<string[]> {
  const report = `data:text/javascript,${encodeURIComponent(REPORT)}`;
  const gateway = startProcess({ NODE_OPTIONS: `--import=${report}`, ...env });
  const url = await gateway.url();
  const query = encodeURIComponent('{ fxRate(pair: "USDTRY") { pair } }');
  const response = await fetch(`${url}/graphql?query=${query}`, { headers: { accept } });
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('USDTRY'),
  ]);
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  return gateway.output.stderr.split('\n');
}

test.each(['application/json', 'text/event-stream'])(
  "a start and an answer in %s need neither Node's fetch nor Valkey nor OpenTelemetry",
  async (accept) => {
    const names = await modulesLoaded({}, accept);
    expect(names).not.toContain(NODE_FETCH);
    expect(names.filter((name) => LOADED_ON_DEMAND.test(name))).toEqual([]);
    expect(names).toContainEqual(expect.stringContaining('src/shared/sqlite/'));
  },
);

test('these modules are loaded when they are needed', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const names = await modulesLoaded(env, 'multipart/mixed');
  expect(names).toContain(NODE_FETCH);
  expect(names).toContainEqual(expect.stringMatching(LOADED_ON_DEMAND));
});

test('compiled code is cached only where no other user can write', async () => {
  const HOME = temporaryFolder();
  const TMPDIR = temporaryFolder();
  const gateway = startProcess({ HOME, TMPDIR });
  await gateway.url();
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  expect(existsSync(join(HOME, '.cache', 'marketgraph'))).toBe(true);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test.each(['', 'home'])('if the home folder is "%s", no compiled code is cached', async (HOME) => {
  const cwd = temporaryFolder();
  const env = { HOME, PORT: '0', DATA_DIR: temporaryFolder() };
  const gateway = watchProcess([MAIN], { cwd, env });
  await gateway.url();
  gateway.child.kill('SIGTERM');
  await gateway.exited;
  expect(readdirSync(cwd)).toEqual([]);
});
