import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startProcess, startWithFewFiles } from '../e2e/child.ts';
import { temporaryFolder } from '../harness.ts';
import { startTeam, talkTo } from './team.ts';

/** WORKERS=2: two processes that serve one port as one gateway. */

const RATE = 'query Rate { fxRate(pair: "USDTRY") { pair } }';
const OPERATIONS = 40;

const times = (count: number, ask: () => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: count }, ask));

test('all workers serve the port, a unit is spent once, and the metrics are the sum', async () => {
  const team = await startTeam();
  await team.workers();
  const replies = await times(OPERATIONS, () => team.ask(RATE));
  expect(replies.map(({ status }) => status)).toEqual(Array(OPERATIONS).fill(200));
  expect(team.sandbox.spent().fx).toBe(1);
  expect(await team.total('marketgraph_units_total')).toBe(1);
  expect(await team.total('marketgraph_meter_used_units', { meter: 'fx' })).toBe(1);
  expect(await team.total('marketgraph_operations_total', { operation: 'Rate' })).toBe(OPERATIONS);
  expect(await team.total('marketgraph_workers_up')).toBe(2);
  const delays = (await team.metrics()).get('nodejs_eventloop_lag_p99_seconds');
  expect(delays?.samples.map(({ labels }) => labels['worker'])).toEqual(['1', '2', 'primary']);
  expect(await team.get('report.json')).toContain('"used":1');
  const rateLines = () => team.lines().filter((line) => 'name' in line && line.name === 'Rate');
  await expect.poll(rateLines).toHaveLength(OPERATIONS);
  expect(new Set(rateLines().map(({ worker }) => worker))).toEqual(new Set([1, 2]));
});

test('a worker that is killed under load is replaced, and no counter falls', async () => {
  const team = await startTeam();
  const before = await team.workers();
  const asked = times(OPERATIONS, () => team.ask(RATE));
  await asked;
  const counted = () => team.total('marketgraph_operations_total');
  const [first, served] = [await counted(), await team.total('marketgraph_workers_up')];
  expect(served).toBe(2);
  const load = { isOver: false };
  let failed = 0;
  const loads = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!load.isOver) await team.ask(RATE).catch(() => (failed += 1));
    }),
  );
  process.kill(before[2] ?? 0, 'SIGKILL');
  await expect.poll(() => team.total('marketgraph_workers_ended_total')).toBe(1);
  expect(await counted()).toBeGreaterThanOrEqual(first);
  expect(JSON.parse(await team.get('ready'))).toMatchObject({ status: 'ready' });
  await expect.poll(() => team.total('marketgraph_workers_up')).toBe(2);
  load.isOver = true;
  await loads;
  // Only what the killed worker was answering fails.
  expect(failed).toBeLessThanOrEqual(4);
  expect(await counted()).toBeGreaterThan(first);
  await expect.poll(async () => (await team.workers())[2]).not.toBe(before[2]);
  expect(team.sandbox.spent().fx).toBe(1);
  const ends = team.lines().filter(({ msg }) => msg.startsWith('a worker exited'));
  expect(ends).toMatchObject([{ worker: 2, signal: 'SIGKILL' }]);
});

test('SIGTERM lets all workers finish: streams end, requests are answered, it exits with 0', async () => {
  const team = await startTeam();
  const release = team.sandbox.fault({ kind: 'hold' });
  const query = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { symbol } }';
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const streams = await Promise.all([fetch(team.url, init), fetch(team.url, init)]);
  const running = team.ask(RATE);
  await expect
    .poll(() => team.sandbox.requests().filter(({ group }) => group === 'A'))
    .toHaveLength(1);
  team.child.kill('SIGTERM');
  await expect.poll(() => team.output.stdout).toContain('SIGTERM');
  release();
  expect(await running).toMatchObject({ status: 200 });
  // A stream that was cut off would reject.
  expect(await Promise.all(streams.map((stream) => stream.text()))).toHaveLength(2);
  expect(await team.exited).toEqual({ code: 0, signal: null });
  expect(team.output.stderr).toBe('');
});

test('a worker that hangs does not keep the others from stopping, and the log says which one it is', async () => {
  const team = await startTeam();
  const { 2: stuck = 0 } = await team.workers();
  process.kill(stuck, 'SIGSTOP');
  team.child.kill('SIGTERM');
  expect(await team.exited).toEqual({ code: 1, signal: null });
  const late = team.lines().filter(({ msg }) => msg.includes('not stopped in time'));
  expect(late).toMatchObject([{ worker: 2 }]);
});

test('one sandbox serves all workers, and leaves nothing behind', async () => {
  const TMPDIR = temporaryFolder();
  const gateway = startProcess({ WORKERS: '2', TMPDIR });
  const team = await talkTo(gateway);
  await team.workers();
  const replies = await times(OPERATIONS, () => team.ask(RATE));
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(await team.total('marketgraph_units_total')).toBe(1);
  expect((await team.ask(RATE)).body).toContain('"sandbox":true');
  const folders = () => readdirSync(TMPDIR).filter((name) => name.startsWith('marketgraph-'));
  expect(folders()).toHaveLength(1);
  gateway.child.kill('SIGTERM');
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(folders()).toEqual([]);
});

test('if the primary process is killed while it hands over a connection, its workers end without a stack trace', async () => {
  const team = await startTeam();
  const { 1: first = 0, 2: second = 0 } = await team.workers();
  for (const pid of [first, second]) process.kill(pid, 'SIGSTOP');
  const { hostname, port } = new URL(team.url);
  const sockets = Array.from({ length: 4 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // The primary process serves this after it has handed over the connections above.
  await fetch(new URL('/', team.admin));
  team.child.kill('SIGKILL');
  await once(team.child, 'exit');
  for (const pid of [first, second]) process.kill(pid, 'SIGCONT');
  // Their output closes with the last of them.
  await team.exited;
  expect(team.output.stderr).toBe('');
});

test('if a worker cannot be replaced for lack of file descriptors, the others go on serving, and it is tried again', async () => {
  const team = await talkTo(
    startWithFewFiles(64, { WORKERS: '2', PATH: process.env['PATH'] ?? '' }),
  );
  const before = await team.workers();
  const { hostname, port } = new URL(team.admin);
  const sockets = Array.from({ length: 64 }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  process.kill(before[2] ?? 0, 'SIGKILL');
  const ends = () => team.lines().filter(({ msg }) => msg.startsWith('a worker exited'));
  await expect.poll(() => ends()[1]).toMatchObject({ problem: expect.stringContaining('EMFILE') });
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => team.total('marketgraph_workers_up')).toBe(2);
  expect((await team.ask(RATE)).status).toBe(200);
});
