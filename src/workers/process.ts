import type { ChildProcess } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { isObject } from '../json.ts';
import { asError } from '../maybe.ts';
import { type Link, openLink } from './link.ts';

/** A worker, as seen by the primary process. */
export interface WorkerProcess {
  link: Link;
  /** Resolves with how it ended, once all of its output is passed on. */
  ended: Promise<WorkerExit>;
  kill(): void;
}

interface WorkerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started, e.g. since the system has no process or file left for it. */
  problem?: string | undefined;
}

/** Returns a function that starts a worker. `program`: main.ts or its build. `write`: takes lines of its log. */
export function createStart(program: string, write: (lines: string) => void): () => WorkerProcess {
  // The port is opened in this process, and each connection handed to a worker that is not busy. If each worker
  // opened the port itself (SO_REUSEPORT), the system would distribute connections blindly, even to a blocked worker.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: program,
    args: ['--worker'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  });

  return () => {
    try {
      return attach(cluster.fork(), write);
    } catch (error) {
      return failedProcess(asError(error).message);
    }
  };
}

function attach(worker: Worker, write: (lines: string) => void): WorkerProcess {
  const ended = endOf(worker);
  if (worker.isConnected()) closeUnaccepted(worker.process);
  const link = openLink({
    send: (message) => worker.isConnected() && worker.send(message, undefined, () => undefined),
    onMessage: (listener) => worker.on('message', listener),
  });
  worker.process.stdout?.setEncoding('utf8').on('data', createLineBuffer(write));
  void ended.then(link.close);
  return { link, ended, kill: () => worker.process.kill('SIGKILL') };
}

/** Passes on the output of one process in whole lines, so that the output of several does not mix. */
function createLineBuffer(write: (lines: string) => void): (piece: string) => void {
  let partialLine = '';
  return (piece) => {
    const end = piece.lastIndexOf('\n') + 1;
    if (end > 0) write(partialLine + piece.slice(0, end));
    partialLine = end > 0 ? piece.slice(end) : partialLine + piece;
  };
}

function endOf(worker: Worker): Promise<WorkerExit> {
  let problem: string | undefined;
  // Most failures to start are reported by this event; the worker then ends at once.
  worker.on('error', (error) => (problem = error.message));
  return new Promise((resolve) => {
    worker.process.once('close', (code, signal) => resolve({ code, signal, problem }));
  });
}

/** Stands in for a worker that could not be forked, e.g. since the system has no memory left. */
function failedProcess(problem: string): WorkerProcess {
  const link = openLink({ send: () => undefined, onMessage: () => undefined });
  const ended = Promise.resolve({ code: null, signal: null, problem });
  return { link, ended, kill: () => undefined };
}

/**
 * Closes the connection that was last handed to a worker if the worker dies before it accepts it: node:cluster would
 * keep it open, and its client would wait forever. Only one is handed over at a time; closing it twice is harmless.
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
