import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { isObject } from '../json.ts';
import { asError } from '../maybe.ts';
import { type Link, openLink } from './link.ts';

/** A worker as the process that leads it sees it. */
export interface WorkerProcess {
  link: Link;
  /** How it has ended, once all that it wrote is passed on. */
  ended: Promise<Ended>;
  kill(): void;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started: no process or file is left for it, for example. */
  problem?: string | undefined;
}

/** How workers are started: `program` is main.ts or what was built of it; `write` takes lines of their log. */
export function createStart(program: string, write: (lines: string) => void): () => WorkerProcess {
  // The port is opened here, and each connection handed to a worker that is not busy. With a port of each
  // worker's own (SO_REUSEPORT) the system would deal them out blindly, also to one that stands still.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: program,
    args: ['--worker'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });

  return () => {
    try {
      return follow(cluster.fork(), write);
    } catch (error) {
      return notStarted(asError(error).message);
    }
  };
}

function follow(worker: Worker, write: (lines: string) => void): WorkerProcess {
  const ended = endOf(worker);
  if (worker.isConnected()) closeUnaccepted(worker.process);
  const link = openLink({
    send: (message) => worker.isConnected() && worker.send(message, undefined, () => undefined),
    onMessage: (listener) => worker.on('message', listener),
  });
  worker.process.stdout?.setEncoding('utf8').on('data', createLines(write));
  void ended.then(link.close);
  return { link, ended, kill: () => worker.process.kill('SIGKILL') };
}

/** Passes on what one process writes in whole lines, so that those of several do not mix. */
function createLines(write: (lines: string) => void): (piece: string) => void {
  let begun = '';
  return (piece) => {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) write(begun + piece.slice(0, end));
    begun = end > 0 ? piece.slice(end) : begun + piece;
  };
}

function endOf(worker: Worker): Promise<Ended> {
  let problem: string | undefined;
  // Most of what keeps a worker from starting is told by this event; then it ends at once.
  worker.on('error', (error) => (problem = error.message));
  return new Promise((resolve) => {
    worker.process.once('close', (code, signal) => resolve({ code, signal, problem }));
  });
}

/** Stands for a worker that could not be forked, as where the system has no memory left. */
function notStarted(problem: string): WorkerProcess {
  const link = openLink({ send: () => undefined, onMessage: () => undefined });
  const ended = Promise.resolve({ code: null, signal: null, problem });
  return { link, ended, kill: () => undefined };
}

/**
 * Closes the connection that was handed to a worker last where it has died meanwhile: node:cluster would keep it
 * open, and its client would wait for ever. There is one at a time; to close it again does nothing.
 */
function closeUnaccepted(child: ChildProcess): void {
  let last: unknown;
  const send = child.send.bind(child) as (...of: unknown[]) => boolean;
  child.send = (...of: unknown[]) => {
    if (of[1] !== undefined && of[1] !== null) [, last] = of;
    return send(...of);
  };
  child.once('exit', () => {
    if (isClosable(last)) last.close();
  });
}

const isClosable = (handle: unknown): handle is { close(): void } =>
  isObject(handle) && 'close' in handle;
