import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Starts servers as processes, and reads their CPU time and memory from /proc (Linux only). */

export interface Running {
  /** The first address in its output. */
  url: string;
  /** Everything it wrote until it was up. */
  output: string;
  cpuMs(): number;
  /** The same in nanoseconds and unrounded, as long as none of its threads ends. */
  cpuNanos(): number;
  /** Processor time of the thread that serves, in milliseconds. */
  mainThreadMs(): number;
  residentMiB(): number;
  stop(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;

/** The root of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const TICK_MS = 10;
const POLL_MS = 20;
const START_TIMEOUT_MS = 15_000;

const children = new Set<ChildProcess>();

/** A benchmark that fails must not leave servers running. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Passes on only what every process needs of the environment of this one. */
function environment(variables: Variables): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NODE_ENV: 'production', ...variables };
}

/** Starts a script and waits until its output matches. */
export async function start(
  script: readonly string[],
  variables: Variables = {},
  isUp = /https?:\/\/[\d.:]+\/graphql/,
  outputTo?: string,
): Promise<Running> {
  const to = outputTo === undefined ? 'pipe' : openSync(outputTo, 'w');
  const stdio: StdioOptions = ['ignore', to, to];
  const options = { cwd: ROOT, env: environment(variables), stdio };
  const child: ChildProcess = spawn(process.execPath, script, options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  const output = await outputUntil(child, isUp, outputTo);
  return {
    url: isUp.exec(output)?.[0] ?? '',
    output,
    cpuMs: () => cpuOf(child.pid),
    cpuNanos: () => nanosOf(child.pid),
    mainThreadMs: () => nanosOfThread(child.pid, child.pid) / 1e6,
    residentMiB: () => residentOf(child.pid),
    stop: () => stop(child),
  };
}

/** Resolves to what the process has written when it is up, to a pipe or a file. Later output is discarded. */
function outputUntil(child: ChildProcess, isUp: RegExp, file?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = () => reject(new Error(`${child.spawnargs.join(' ')} did not start:\n${output}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail();
    }, START_TIMEOUT_MS);
    const note = (chunk: Buffer) => {
      output += chunk.toString();
      if (!isUp.test(output)) return;
      clearTimeout(timer);
      clearInterval(look);
      child.off('exit', fail);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', note).resume();
      resolve(output);
    };
    const read = () => note(Buffer.from(readFileSync(file!, 'utf8').slice(output.length)));
    const look = file === undefined ? undefined : setInterval(read, POLL_MS);
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
    child.once('exit', fail);
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const kill = setTimeout(() => child.kill('SIGKILL'), 5000);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Time that all threads of a process have spent, in user and kernel mode. */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The same in nanoseconds, of the threads that are still running. */
function nanosOf(pid: number | undefined): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + nanosOfThread(pid, task), 0);
}

function nanosOfThread(pid: number | undefined, thread: number | string | undefined): number {
  const times = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
  return Number(times.split(' ', 1)[0]);
}

function residentOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** The sandbox, and the variables by which servers reach it. */
export async function startSandbox(latencyMs = 0): Promise<{ server: Running; access: Variables }> {
  const script = ['src/sandbox/main.ts', '--port', '0', '--latency', String(latencyMs)];
  const server = await start(script, {}, /GROUP_B_KEY=\S+\n/);
  return { server, access: Object.fromEntries(settingsIn(server.output)) };
}

function settingsIn(output: string): [string, string][] {
  return [...output.matchAll(/^(GROUP_\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
}
