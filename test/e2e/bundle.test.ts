import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { connect, temporaryFolder } from '../harness.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Builds as `npm run build` does, into a folder away from the sources and node_modules; returns that folder. */
function build(): string {
  const folder = temporaryFolder();
  const vite = `${root}/node_modules/vite/bin/vite.js`;
  execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return folder;
}

/** Starts the bundle; returns its process and the address that it logs. */
async function start(folder: string) {
  const env = { PATH: process.env['PATH'], PORT: '0', SANDBOX: '1' };
  const server = spawn(process.execPath, ['main.js'], { cwd: folder, env });
  onTestFinished(() => void server.kill());
  for await (const line of createInterface(server.stdout)) {
    const [url] = /http:\S+\/graphql/.exec(line) ?? [];
    if (url) return { url, server };
  }
  throw new Error('The bundle exited before it logged an address');
}

test('the bundle serves queries and the Studio without the sources, and stops cleanly', async () => {
  const { url, server } = await start(build());
  const data = await connect(url).get('{ fxRate(pair: "USDTRY") { pair } }');
  expect(data).toEqual({ fxRate: { pair: 'USDTRY' } });
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const [, script = ''] = /src="\.\/(graphql\/studio\/[^"]+\.js)"/.exec(page) ?? [];
  const loaded = await fetch(new URL(script, url), { headers: { 'accept-encoding': 'br' } });
  expect(loaded.headers.get('content-encoding')).toBe('br');
  expect(await loaded.text()).toContain('query MarketPage');
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});
