import { ask, persist, putRaw } from './speed-ask.ts';
import { drive, getOf, type Load, postOf } from './speed-load.ts';
import { list, neverSeen, type Operation, page, small } from './speed-operations.ts';
import type { Running } from './speed-processes.ts';

/**
 * Measures requests per second and CPU time of answers that need no upstream request. The servers take
 * turns, in several rounds.
 */

export type Name = 'gateway' | 'before' | 'raw' | 'mercurius' | 'apollo';

/** The gateway, and the servers that it is compared with. */
export type Servers = Readonly<Partial<Record<Name, Running>>> & { gateway: Running };

interface Contender {
  server: Name;
  load: Load;
}

export interface Case {
  name: string;
  contenders: readonly Contender[];
}

export interface Measured {
  server: Name;
  perSecond: number;
  cpuMicros: number;
}

const ALL: readonly Name[] = ['gateway', 'before', 'raw', 'mercurius', 'apollo'];

function startedOf(servers: Servers): [Name, Running][] {
  return ALL.flatMap((name): [Name, Running][] => {
    const server = servers[name];
    return server ? [[name, server]] : [];
  });
}

/** Sends the same request again and again. */
function repeat(url: string, bytes: Buffer): Load {
  return { url, next: () => bytes };
}

async function posts(servers: Servers, name: string, operation: Operation): Promise<Case> {
  const answer = await ask(servers.gateway.url, operation);
  const contenders: Contender[] = [];
  for (const [server, running] of startedOf(servers)) {
    const url = server === 'raw' ? await putAnswer(running, operation, answer) : running.url;
    await ask(url, operation);
    contenders.push({ server, load: repeat(url, postOf(url, operation)) });
  }
  return { name: `${name}, ${kilobytes(answer)}, POST`, contenders };
}

/** Without Mercurius and Apollo Server, which are only measured by POST. */
async function gets(servers: Servers, name: string, operation: Operation): Promise<Case> {
  const answer = await ask(servers.gateway.url, operation);
  const contenders: Contender[] = [];
  for (const [server, running] of startedOf(servers)) {
    if (server === 'mercurius' || server === 'apollo') continue;
    const isRaw = server === 'raw';
    const url = await (isRaw
      ? putAnswer(running, operation, answer)
      : persist(running.url, operation));
    contenders.push({ server, load: repeat(url, getOf(url)) });
  }
  return { name: `${name}, ${kilobytes(answer)}, GET`, contenders };
}

function putAnswer(
  { url }: Running,
  { operationName }: Operation,
  answer: string,
): Promise<string> {
  return putRaw(url, `/${operationName}`, answer);
}

/** Each request has different variables, so that no kept whole answer can serve it. */
async function warm(servers: Servers, name: string, operation: Operation): Promise<Case> {
  const variant = neverSeen(operation);
  const contenders: Contender[] = [];
  for (const [server, { url }] of startedOf(servers)) {
    if (server === 'raw') continue;
    let index = 0;
    await ask(url, variant(index));
    contenders.push({ server, load: { url, next: () => postOf(url, variant((index += 1))) } });
  }
  return { name, contenders };
}

function kilobytes(text: string): string {
  return `${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`;
}

export async function createCases(servers: Servers): Promise<Case[]> {
  return [
    await posts(servers, 'hot page', page),
    await gets(servers, 'hot page', page),
    await posts(servers, 'hot list', list),
    await gets(servers, 'hot list', list),
    await posts(servers, 'hot small', small),
    await gets(servers, 'hot small', small),
    await warm(servers, 'warm list, new variables', list),
    await warm(servers, 'warm small, new variables', small),
  ];
}

/** One server's turn: a warm-up of a fifth of the time, then the measurement. */
async function measureTurn(
  running: Running,
  load: Load,
  ms: number,
): Promise<Omit<Measured, 'server'>> {
  await drive(load, until(ms / 5));
  const before = running.cpuMs();
  const { answers, ms: took } = await drive(load, until(ms));
  const spent = running.cpuMs() - before;
  return { perSecond: (answers / took) * 1000, cpuMicros: (spent / answers) * 1000 };
}

function until(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** Returns medians of all rounds, by case. Each round begins with another server: the first is at a disadvantage. */
export async function measure(
  servers: Servers,
  cases: readonly Case[],
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Map<string, Measured[]>> {
  const turns = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round += 1)
    for (const { name, contenders } of cases)
      for (const { server, load } of rotated(contenders, round)) {
        const measured = await measureTurn(servers[server]!, load, ms);
        turns.set(name, [...(turns.get(name) ?? []), { server, ...measured }]);
      }
  return new Map([...turns].map(([name, all]) => [name, medians(all)]));
}

function rotated<T>(all: readonly T[], by: number): T[] {
  const at = by % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}

export function medians(all: readonly Measured[]): Measured[] {
  return [...Map.groupBy(all, ({ server }) => server)].map(([server, turns]) => ({
    server,
    perSecond: median(turns.map(({ perSecond }) => perSecond)),
    cpuMicros: median(turns.map(({ cpuMicros }) => cpuMicros)),
  }));
}

/** Returns the medians of several runs of the same cases. */
export function mediansOf(
  runs: readonly ReadonlyMap<string, readonly Measured[]>[],
): Map<string, Measured[]> {
  const names = new Set(runs.flatMap((run) => [...run.keys()]));
  return new Map(
    [...names].map((name) => [name, medians(runs.flatMap((run) => run.get(name) ?? []))]),
  );
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
