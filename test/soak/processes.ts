import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The processes of a soak, which answer questions over their channels (Linux only). */

export interface Child {
  /** Sends a message and resolves to the next one that comes back. One question at a time. */
  ask(message: unknown): Promise<unknown>;
  /** Resolves to the first match in its output. */
  waitForOutput(pattern: RegExp): Promise<string>;
  /** The first MAX_LINES lines that it has written. */
  lines(): readonly string[];
  isAlive(): boolean;
  /** Processor time of all its threads. */
  cpuMs(): number;
  /** Asks it to stop, and kills it if it has not after TIMEOUT_MS. Resolves to its exit code or the signal. */
  end(): Promise<number | string>;
}

interface ChildOptions {
  script: string;
  env?: Readonly<Record<string, string>>;
  execArgv?: readonly string[];
}

const MAX_LINES = 20_000;
const TIMEOUT_MS = 15_000;
const TICK_MS = 10;

export const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const children = new Set<ChildProcess>();

/** Kills all processes of the soak, so that none outlives it, not even after Ctrl-C. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

export const cpuMsOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

export function startChild({ script, env = {}, execArgv = [] }: ChildOptions): Child {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = fork(fileOf(script), {
    env: { PATH, HOME, TMPDIR, ...env },
    execArgv: [...execArgv],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  const exited = once(child, 'exit').then(() => children.delete(child));
  const lines = linesOf(child);
  let cpuMs = 0;
  return {
    async ask(message) {
      const answer = once(child, 'message').then(([said]) => said as unknown);
      child.send(message as object);
      const gone = exited.then(() => {
        throw new Error(`${script} has ended:\n${lines.slice(-20).join('\n')}`);
      });
      return Promise.race([answer, gone]);
    },
    waitForOutput: (pattern) => waitForLine(child, lines, pattern),
    lines: () => lines,
    isAlive: () => !isOver(child),
    cpuMs: () => (cpuMs = isOver(child) ? cpuMs : cpuMsOf(child.pid!)),
    async end() {
      if (!isOver(child)) child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
      await exited;
      clearTimeout(late);
      return child.exitCode ?? child.signalCode ?? '';
    },
  };
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.slice(0, Math.max(0, MAX_LINES - lines.length)));
    });
  }
  return lines;
}

function waitForLine(
  child: ChildProcess,
  lines: readonly string[],
  pattern: RegExp,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const check = () => {
      const found = lines.map((line) => pattern.exec(line)?.[0]).find((one) => one !== undefined);
      if (found === undefined) return;
      child.stdout?.off('data', check);
      resolve(found);
    };
    child.stdout?.on('data', check);
    child.once('exit', () => reject(new Error(`did not start:\n${lines.join('\n')}`)));
  });
}
