import type { Upstream } from '../config.ts';

/** What a worker is told when it starts. */
export interface WorkerSettings {
  /** 1 to `of`; a worker that replaces another gets its number. */
  worker: number;
  of: number;
  /** Whether the log goes to a terminal. */
  isTerminal: boolean;
  /** Set if the sandbox is served: one sandbox for all workers, and a folder for what they share. */
  sandbox: SharedSandbox | undefined;
}

export interface SharedSandbox {
  upstream: Upstream;
  dataDir: string;
}
