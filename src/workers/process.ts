import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createLines } from './lines.ts';
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
    const worker = cluster.fork();
    closeUnaccepted(worker.process);
    const link = openLink({
      send: (message) => worker.isConnected() && worker.send(message, undefined, () => undefined),
      onMessage: (listener) => worker.on('message', listener),
    });
    worker.process.stdout?.setEncoding('utf8').on('data', createLines(write));
    const ended = once(worker.process, 'close').then(([code, signal]): Ended => {
      link.close();
      return { code: code as Ended['code'], signal: signal as Ended['signal'] };
    });
    return { link, ended, kill: () => worker.process.kill('SIGKILL') };
  };
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
  typeof handle === 'object' && handle !== null && 'close' in handle;
