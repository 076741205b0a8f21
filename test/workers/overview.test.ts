import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Hours } from '../../src/console/csv.ts';
import { hoursOf } from '../../src/console/spent.ts';
import type { Values } from '../../src/observe/metrics.ts';
import { monthNamed } from '../../src/spending/calendar.ts';
import type { Link } from '../../src/workers/link.ts';
import { createOverview, type UpWorker } from '../../src/workers/overview.ts';
import { sum } from '../observe/admin.ts';
import { readExposition } from '../observe/exposition.ts';
import { linkPair } from './links.ts';

/** The metrics of all workers, while some of them end. */

const COUNTER = 'asked_total';

const METRIC = { name: COUNTER, help: 'Asked.', type: 'counter', aggregator: 'sum' };
const counted = (value: number) =>
  [{ ...METRIC, values: [{ value, labels: {} }] }] as unknown as Values;

/** Opens an overview over workers that report what the test says. */
function openTeam() {
  const serving: UpWorker[] = [];
  const others = new Map<number, Link>();
  const overview = createOverview(
    readConfig({}),
    () => serving,
    () => false,
  );
  /** Adds a worker that is up; `metrics` returns what it reports when it is asked. */
  function begin(worker: number, metrics: () => unknown): Link {
    const [link, other] = linkPair();
    other.on('metrics', metrics);
    serving.push({ worker, link });
    others.set(worker, other);
    return link;
  }
  const answers = (worker: number, topic: string, answer: (content: unknown) => unknown) =>
    others.get(worker)?.on(topic, answer);
  function end(worker: number): void {
    serving.splice(
      serving.findIndex((one) => one.worker === worker),
      1,
    );
    overview.noteEnded(worker);
  }
  const total = async () => sum(readExposition(await overview.metrics.text()), COUNTER);
  return { begin, end, total, answers, overview };
}

test('the counts of a worker that ends while all are asked are not counted twice', async () => {
  const { begin, end, total } = openTeam();
  let first: unknown = counted(1);
  let second = counted(5);
  begin(1, () => first);
  begin(2, () => second);
  expect(await total()).toBe(6);
  const held = Promise.withResolvers<Values>();
  first = held.promise;
  second = counted(7);
  const meanwhile = total();
  await setImmediate();
  end(2);
  begin(2, () => counted(0));
  held.resolve(counted(1));
  // The ended worker counts with what it reported before.
  expect(await meanwhile).toBe(6);
  expect(await total()).toBe(6);
});

test('none of several workers that end at once is forgotten', async () => {
  const { begin, end, total } = openTeam();
  for (const worker of [1, 2, 3]) begin(worker, () => counted(worker));
  expect(await total()).toBe(6);
  for (const worker of [1, 2, 3]) end(worker);
  expect(await total()).toBe(6);
  await setImmediate();
  expect(await total()).toBe(6);
});

test('a sum of fractions does not fall when a worker ends', async () => {
  const { begin, end, total } = openTeam();
  for (const [i, value] of [0.1, 0.2, 0.3].entries()) begin(i + 1, () => counted(value));
  const before = await total();
  expect(before).toBeCloseTo(0.6, 5);
  end(1);
  expect(await total()).toBe(before);
});

test('of a worker that hangs, the counts stay, and nothing is said about its state', async () => {
  const { begin, answers, overview } = openTeam();
  const state = { ...METRIC, name: 'open_now', type: 'gauge', values: [{ value: 1, labels: {} }] };
  const values = [...counted(3), state];
  begin(1, () => values);
  begin(2, () => values);
  const read = async () => readExposition(await overview.metrics.text());
  const names = [COUNTER, 'open_now', 'marketgraph_workers_up'];
  const sums = async () => {
    const found = await read();
    return names.map((name) => sum(found, name));
  };
  expect(await sums()).toEqual([6, 2, 2]);
  answers(2, 'metrics', () => Promise.reject(new Error('no answer')));
  expect(await sums()).toEqual([6, 1, 1]);
});

test('the report of a month comes from a worker that answers, if another one hangs', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { begin, answers, overview } = openTeam();
  begin(1, () => counted(0));
  begin(2, () => counted(0));
  answers(1, 'flush', () => new Promise(() => undefined));
  answers(2, 'flush', () => 'ready');
  answers(2, 'report', (month) => ({ month }));
  const reported = overview.console.report('2026-11');
  await vi.advanceTimersByTimeAsync(2000);
  expect(await reported).toEqual({ month: '2026-11' });
});

test('a worker of another version, which does not know the question, counts as no answer', async () => {
  const { begin, total, overview } = openTeam();
  begin(1, () => counted(2));
  await expect(overview.console.report('2026-11')).rejects.toThrow('does not know "report"');
  expect(await total()).toBe(2);
});

test('the CSV of a month comes from one worker, a day at a time', async () => {
  const { begin, answers, overview } = openTeam();
  begin(1, () => counted(0));
  answers(1, 'flush', () => 'ready');
  const asked: Hours[] = [];
  answers(1, 'rows', (hours) => `${asked.push(hours as Hours)}\n`);
  const { body = '' } = (await overview.console.csv('2025-10')) ?? {};
  const texts: string[] = [];
  for await (const text of body) texts.push(text);
  const { from, to } = hoursOf(monthNamed('2025-10', 'Europe/Istanbul'));
  expect([asked[0]?.from, asked.at(-1)?.to]).toEqual([from, to]);
  for (const [i, hours] of asked.slice(1).entries()) expect(hours.from).toBe(asked[i]!.to);
  expect(texts.join('').split('\n').slice(1, -1)).toEqual(asked.map((_, i) => String(i + 1)));
  expect(asked.length).toBe(32);
});
