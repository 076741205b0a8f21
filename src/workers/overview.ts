import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { AdminOptions } from '../admin/admin.ts';
import type { Config } from '../config.ts';
import { consoleFile, type Content, csvOf, forMonth } from '../console/console.ts';
import type { Hours } from '../console/csv.ts';
import type { Values } from '../observe/metrics.ts';
import type { Link } from './link.ts';
import { createSums } from './sums.ts';

/** The operator's view of all workers together: metrics, console and readiness. */

/** A worker that serves. */
export interface UpWorker {
  worker: number;
  link: Link;
}

interface Answer {
  worker: string;
  link: Link;
  answer: unknown;
}

/** Timeout of a worker's answer; a worker that takes longer is left out. */
const ANSWER_TIMEOUT_MS = 2000;
/** Timeout of reading a month, which may take a while: a busy worker does it while it serves clients. */
const REPORT_TIMEOUT_MS = 60_000;

interface Overview extends Pick<AdminOptions, 'metrics' | 'console' | 'readiness'> {
  /** Notes that a worker has ended without being told to. */
  noteEnded(worker: number): void;
}

/** `serving`: the workers that are up. */
export function createOverview(
  config: Config,
  serving: () => readonly UpWorker[],
  isStopping: () => boolean,
): Overview {
  const { timezone } = config;
  const own = createOwnMetrics();
  const sums = createSums();

  /** Asks all workers; those that give no answer are left out. */
  async function askAll(topic: string): Promise<Answer[]> {
    const asked = serving().map(async ({ worker, link }) => {
      const answer = await link.ask(topic, undefined, ANSWER_TIMEOUT_MS).catch(() => undefined);
      return answer === undefined ? [] : [{ worker: String(worker), link, answer }];
    });
    return (await Promise.all(asked)).flat();
  }

  async function text(): Promise<string> {
    const answers = await askAll('metrics');
    const values = await own.valuesWith(answers.length);
    // A worker that has ended meanwhile is left out: its earlier counts are in the sums already.
    const links = new Set(serving().map(({ link }) => link));
    const all = answers.filter(({ link }) => links.has(link));
    return sums.text([
      { worker: 'primary', values },
      ...all.map(({ worker, answer }) => ({ worker, values: answer as Values })),
    ]);
  }

  async function readiness(): Promise<string> {
    if (isStopping()) return 'stopping';
    const all = await askAll('readiness');
    if (all.length === 0) return 'no worker is up';
    return (all.find(({ answer }) => answer !== 'ready')?.answer ?? 'ready') as string;
  }

  /** Chooses the worker that reports, once all have stored their counts: preferably one whose key was refused. */
  async function chooseReporter(): Promise<Link> {
    const all = await askAll('flush');
    const [first] = all.length > 0 ? all : serving();
    const one = all.find(({ answer }) => answer !== 'ready') ?? first;
    if (!one) throw new Error('no worker is up');
    return one.link;
  }

  async function report(month: string): Promise<Content> {
    const link = await chooseReporter();
    return (await link.ask('report', month, REPORT_TIMEOUT_MS)) as Content;
  }

  async function csv(month: string): Promise<Content> {
    const link = await chooseReporter();
    const rows = async (hours: Hours) =>
      (await link.ask('rows', hours, REPORT_TIMEOUT_MS)) as string;
    return csvOf(month, timezone, rows);
  }

  const clock = { now: Date.now, timezone };
  return {
    metrics: { text, contentType: own.contentType },
    console: { file: consoleFile(), report: forMonth(clock, report), csv: forMonth(clock, csv) },
    readiness,
    noteEnded(worker) {
      own.noteEnded();
      sums.retire(String(worker));
    },
  };
}

function createOwnMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const up = new Gauge({
    name: 'marketgraph_workers_up',
    help: 'Number of workers that answer.',
    registers,
  });
  const ended = new Counter({
    name: 'marketgraph_workers_ended_total',
    help: 'Workers that exited unexpectedly.',
    registers,
  });
  return {
    contentType: registry.contentType,
    /** `answering`: how many workers answer. */
    valuesWith(answering: number) {
      up.set(answering);
      return registry.getMetricsAsJSON();
    },
    noteEnded: () => ended.inc(),
  };
}
