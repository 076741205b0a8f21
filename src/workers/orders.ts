import type { Upstream } from '../config.ts';

/** What a worker is told when it starts. */
export interface Orders {
  /** 1 to `of`; one that takes the place of another has its number. */
  worker: number;
  of: number;
  /** Whether people read the log. */
  isTerminal: boolean;
  /** Where the sandbox is served: one for all, and a folder for what they share. */
  sandbox: SandboxForAll | undefined;
}

export interface SandboxForAll {
  upstream: Upstream;
  dataDir: string;
}
