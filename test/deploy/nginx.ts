import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { freePort } from '../valkey.ts';

/** A real nginx with deploy/nginx.conf, if one is installed. */

const NGINX = 'nginx';
const CONF = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));

/** For `test.skipIf`: the report names the tests that are skipped if none is installed. */
export const NO_NGINX = spawnSync(NGINX, ['-v']).status !== 0;

/** Starts it in front of two gateways, and returns its address. */
export async function startNginx(gateways: readonly [string, string]): Promise<string> {
  const folder = temporaryFolder();
  const port = await freePort();
  const own: [string, string][] = [
    ['gateway-1:4000', new URL(gateways[0]).host],
    ['gateway-2:4000', new URL(gateways[1]).host],
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['# server_name market.example.com;', 'server_name 127.0.0.1;'],
    ['/var/cache/nginx/marketgraph', join(folder, 'cache')],
  ];
  let conf = readFileSync(CONF, 'utf8');
  for (const [written, here] of own) {
    expect(conf).toContain(written);
    conf = conf.replace(written, here);
  }
  writeFileSync(join(folder, 'marketgraph.conf'), conf);
  writeFileSync(join(folder, 'nginx.conf'), around(folder, port));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  const { status, stderr } = spawnSync(NGINX, ['-t', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const child = spawn(NGINX, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => fetch(`${url}/health`).then((answer) => answer.status, String)).toBe(200);
  return url;
}

/** What a distribution has in /etc/nginx, with its welcome page, and with all files in one folder. */
function around(folder: string, port: number): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `  ${kind}_temp_path ${join(folder, kind)};`);
  mkdirSync(join(folder, 'logs'));
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(folder, 'pid')};
error_log ${join(folder, 'error.log')} warn;
events { worker_connections 1024; }
http {
  access_log off;
${paths.join('\n')}
  server {
    listen 127.0.0.1:${port} default_server;
    return 404;
  }
  include ${join(folder, 'marketgraph.conf')};
}
`;
}
