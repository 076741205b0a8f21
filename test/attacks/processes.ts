import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { UpstreamCount, UpstreamOptions } from './upstream.ts';
import type { Watched } from './watch.ts';

/** Starts the processes of an attack and reads what the gateway uses from /proc (Linux only). */

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const TICK_MS = 10;
const MAX_OUTPUT = 10_000_000;

const children = new Set<ChildProcess>();

/** A suite that is aborted must not leave servers running. */
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...variables };
}

function track(child: ChildProcess) {
  children.add(child);
  const exited = once(child, 'exit').then(() => void children.delete(child));
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { child, exited, end };
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Resolves to the next message of a child; undefined if the child ends first. */
async function nextMessage(child: ChildProcess, question?: string): Promise<unknown> {
  if (isOver(child)) return undefined;
  const answer = once(child, 'message').then(([message]) => message as unknown);
  if (question !== undefined) child.send(question);
  return Promise.race([answer, once(child, 'exit').then(() => undefined)]);
}

export async function startUpstream(options: UpstreamOptions = {}) {
  const forked = fork(file('upstream.ts'), [JSON.stringify(options)], { env: environment({}) });
  const { child, end } = track(forked);
  const access = (await nextMessage(child)) as Record<string, string>;
  const count = async () => (await nextMessage(child, 'count')) as UpstreamCount;
  return { access, count, end };
}

export async function startWatch(url: string) {
  const { child, end } = track(fork(file('watch.ts'), [url], { env: environment({}) }));
  await nextMessage(child);
  return {
    end,
    begin: () => nextMessage(child, 'begin'),
    finish: async () => (await nextMessage(child, 'end')) as Watched,
  };
}

/** What a process has used; once it is gone, the last known values. */
export interface Used {
  cpuMs: number;
  residentMiB: number;
  peakMiB: number;
}

function usedBy(pid: number | undefined, before: Used): Used {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mib = (name: string) =>
      Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
    return {
      cpuMs: (Number(stat[11]) + Number(stat[12])) * TICK_MS,
      residentMiB: mib('VmRSS'),
      peakMiB: Math.max(mib('VmHWM'), before.peakMiB),
    };
  } catch {
    return before;
  }
}

export async function startGateway(variables: Readonly<Record<string, string>>) {
  const script = [file('../../src/main.ts')];
  const env = environment({ PORT: '0', LOG_LEVEL: 'info', ...variables });
  const { child, exited, end } = track(spawn(process.execPath, script, { env }));
  const output = { stdout: '', stderr: '' };
  let used: Used = { cpuMs: 0, residentMiB: 0, peakMiB: 0 };
  child.stderr?.on('data', (chunk) => {
    if (output.stderr.length < MAX_OUTPUT) output.stderr += String(chunk);
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the gateway did not start: ${output.stderr}`)));
    child.stdout?.on('data', (chunk) => {
      if (output.stdout.length < MAX_OUTPUT) output.stdout += String(chunk);
      const address = /http:\/\/\S+?(?=\/graphql)/.exec(output.stdout)?.[0];
      if (address) resolve(address);
    });
  });
  return {
    url,
    exited,
    end,
    isAlive: () => !isOver(child),
    stderr: () => output.stderr,
    used: () => (used = usedBy(child.pid, used)),
  };
}

export type RunningGateway = Awaited<ReturnType<typeof startGateway>>;
