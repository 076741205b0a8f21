import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createBackoff } from './backoff.ts';
import type { Link } from './link.ts';
import type { WorkerSettings } from './worker-settings.ts';
import type { UpWorker } from './overview.ts';
import type { WorkerProcess } from './process.ts';

/** A fixed number of workers: started together, replaced when they end, and stopped together. */
interface Team {
  /** Resolves with the address when all workers serve. Rejects with the error of the first worker that cannot start. */
  start(): Promise<string>;
  serving(): readonly UpWorker[];
  /** Resolves when all have ended, with whether all of them ended without an error. */
  stop(): Promise<boolean>;
}

interface TeamOptions {
  count: number;
  settings: Omit<WorkerSettings, 'worker' | 'of'>;
  /** How long workers may take to stop; those that take longer are killed. */
  stopMs: number;
  startProcess(): WorkerProcess;
  log: Logger;
  /** Called when a process was started, to add further handlers to its link. */
  onStart(link: Link): void;
  /** Called when a worker has ended without being told to. */
  onEnded(worker: number, link: Link): void;
  /** Called when starting further workers would be in vain. */
  onGiveUp(): void;
}

export function createTeam(options: TeamOptions): Team {
  const { count, settings, startProcess, log } = options;
  /** The running processes, by worker. */
  const processes = new Map<number, WorkerProcess>();
  const up = new Map<number, Link>();
  const stopping = new AbortController();
  const allServing = Promise.withResolvers<string>();
  const allPrepared = Promise.withResolvers<void>();
  let runs: Promise<boolean>[] = [];
  let prepared = 0;
  let isStarted = false;

  function startWorker(worker: number): WorkerProcess {
    const child = startProcess();
    const { link } = child;
    processes.set(worker, child);
    link.on('orders', (): WorkerSettings => ({ worker, of: count, ...settings }));
    link.on('prepared', () => {
      prepared += 1;
      if (prepared === count) allPrepared.resolve();
      return allPrepared.promise;
    });
    link.on('open', (url) => {
      up.set(worker, link);
      if (up.size === count) allServing.resolve(url as string);
    });
    link.on('failed', (problem) => {
      allServing.reject(new Error(problem as string));
      if (isStarted) log.error({ worker, problem }, 'a worker failed to start');
    });
    options.onStart(link);
    return child;
  }

  /** Keeps one worker running until all are told to stop. Resolves with whether it then ended without an error. */
  async function keepRunning(worker: number): Promise<boolean> {
    const backoff = createBackoff();
    for (;;) {
      const startedAt = performance.now();
      const { link, ended } = startWorker(worker);
      const { code, signal, problem } = await ended;
      up.delete(worker);
      processes.delete(worker);
      if (stopping.signal.aborted) return code === 0;
      const reason = problem ?? signal ?? code;
      allServing.reject(new Error(`a worker exited during startup (${reason})`));
      options.onEnded(worker, link);
      const inMs = backoff.noteEnded(performance.now() - startedAt);
      const about = { worker, code, signal, problem, inMs };
      log.error(about, 'a worker exited and will be replaced');
      if (backoff.isHopeless() && up.size === 0) options.onGiveUp();
      await pause(inMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return true;
    }
  }

  function killLate(): void {
    for (const [worker, { kill }] of processes) {
      log.error({ worker }, 'killing a worker that has not stopped in time');
      kill();
    }
  }

  /** Kills all workers during the start: nobody is served yet. */
  async function abortStart(): Promise<void> {
    stopping.abort();
    for (const { kill } of processes.values()) kill();
    await Promise.all(runs);
  }

  return {
    async start() {
      runs = Array.from({ length: count }, (_, i) => keepRunning(i + 1));
      try {
        const url = await allServing.promise;
        isStarted = true;
        return url;
      } catch (error) {
        await abortStart();
        throw error;
      }
    },
    serving: () => [...up].map(([worker, link]) => ({ worker, link })),
    async stop() {
      if (!isStarted) return abortStart().then(() => true);
      stopping.abort();
      for (const { link } of processes.values()) link.notify('stop');
      const late = setTimeout(killLate, options.stopMs);
      const ended = await Promise.all(runs);
      clearTimeout(late);
      return ended.every(Boolean);
    },
  };
}
