import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { written } from './digests.ts';

const MAIN = join(import.meta.dirname, '../../src/commands/client.ts');

/** Node's default folder for its compile cache, with which a command starts twice as fast. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/** A file with one client, whose key is the first of digests.ts. */
export const ONE = `${JSON.stringify({ clients: [{ name: 'app', keys: [written(1)] }] })}\n`;

/** A folder for one test, in which the command works on ./clients.json. */
export function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  async function runWith(clientsFile: string, args: readonly string[]) {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: { ...process.env, CLIENTS_FILE: clientsFile, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk) => (output.out += String(chunk)));
    child.stderr.on('data', (chunk) => (output.err += String(chunk)));
    const [code] = await once(child, 'close');
    return { code: Number(code), ...output };
  }

  return {
    folder,
    path: join(folder, 'clients.json'),
    runWith,
    run: (...args: string[]) => runWith('', args),
  };
}
