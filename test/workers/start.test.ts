import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createBackoff } from '../../src/workers/backoff.ts';
import { shareOf } from '../../src/workers/share.ts';
import { startProcess } from '../e2e/child.ts';
import { temporaryFolder } from '../harness.ts';

/** How several workers start, and what they are given. */

test.each(['0', '-1', '1.5', 'two', '257'])('WORKERS=%s is refused', (WORKERS) => {
  expect(() => readConfig({ WORKERS })).toThrow('WORKERS: must be 1 to 256, or auto');
});

test('several workers that could share nothing are refused', () => {
  expect(() => readConfig({ WORKERS: '2', KEPT_MAX_BYTES: '0' })).toThrow(/^WORKERS: .*KEPT_MAX/);
  expect(readConfig({ WORKERS: '1', KEPT_MAX_BYTES: '0' }).workers).toBe(1);
});

test('auto: as many workers as the machine has processors', () => {
  expect(readConfig({ WORKERS: 'auto' }).workers).toBe(availableParallelism());
});

test('a wrong value stops the start with a line that names it', async () => {
  const { exited, output } = startProcess({ WORKERS: 'many' });
  expect(await exited).toEqual({ code: 1, signal: null });
  expect(output).toEqual({
    stdout: '',
    stderr: 'marketgraph: WORKERS: must be 1 to 256, or auto\n',
  });
});

async function takenPort(): Promise<string> {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  return String(typeof address === 'object' && address ? address.port : 0);
}

test.each(['PORT', 'ADMIN_PORT'])(
  'if %s is taken, one line says so, and nothing is left behind',
  async (name) => {
    const TMPDIR = temporaryFolder();
    const env = { WORKERS: '2', TMPDIR, [name]: await takenPort() };
    const { exited, output } = startProcess(env);
    expect(await exited).toEqual({ code: 1, signal: null });
    const lines = output.stderr.split('\n').filter((line) => line !== '');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      new RegExp(`^marketgraph: .*, ${name}: cannot listen on .*EADDRINUSE`),
    );
    expect(readdirSync(TMPDIR).filter((entry) => entry.startsWith('marketgraph-'))).toEqual([]);
  },
);

test('nobody is served by a gateway that cannot start: the admin listener comes first', async () => {
  const [PORT, ADMIN_PORT] = [await takenPort(), await takenPort()];
  const { exited, output } = startProcess({ WORKERS: '2', PORT, ADMIN_PORT });
  expect((await exited).code).toBe(1);
  expect(output.stderr).toMatch(/^marketgraph: ADMIN_HOST, ADMIN_PORT: cannot listen/);
});

test('a signal during the start ends all workers quietly, and nothing is left behind', async () => {
  const TMPDIR = temporaryFolder();
  const { child, exited, output } = startProcess({ WORKERS: '2', TMPDIR });
  const inFolders = () =>
    readdirSync(TMPDIR, { recursive: true }).filter((name) =>
      String(name).endsWith('ledger.sqlite'),
    );
  // The first worker is about to open what they share.
  await expect.poll(inFolders).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(output.stderr).toBe('');
  expect(readdirSync(TMPDIR).filter((name) => name.startsWith('marketgraph-'))).toEqual([]);
});

test('what is divided among workers is never more than the whole', () => {
  const config = readConfig({ CACHE_MAX_BYTES: '1000', MAX_SOCKETS: '7', MAX_CONNECTIONS: '1' });
  const share = shareOf(config, 3);
  expect(share.cacheMaxBytes).toBe(333);
  expect(share.sockets.maxSockets).toBe(2);
  expect(share.connections.max).toBe(1);
  expect(share.maxAnswerBytes).toBe(config.maxAnswerBytes);
});

test('a worker that ends early is replaced ever later; one that has served for long is replaced at once', () => {
  const backoff = createBackoff();
  const ends = [100, 100, 100, 100];
  expect(ends.map((ms) => backoff.noteEnded(ms))).toEqual([500, 1000, 2000, 4000]);
  expect(backoff.isHopeless()).toBe(false);
  backoff.noteEnded(100);
  expect(backoff.isHopeless()).toBe(true);
  expect(backoff.noteEnded(60_000)).toBe(0);
  expect(backoff.isHopeless()).toBe(false);
});
