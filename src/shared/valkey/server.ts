import { createHash } from 'node:crypto';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { ErrorReply } from '@redis/client';
import { type Link, openLink } from './link.ts';
import { createTrouble, type ServerTrouble, type Trouble } from './trouble.ts';

/**
 * A Valkey or Redis server (or a cluster of them) that replicas share, and that may be away at any time:
 * down, frozen, slow, or out of memory. Nothing here throws or waits for long.
 */
export interface Server {
  /**
   * Runs a script. Undefined where it did not answer in time, in which case nobody knows whether it was
   * run, or where it was not asked, because it is away. Once the server is there again, `onLate` gets the
   * answer that came too late, or undefined where none came.
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    onLate?: OnLate,
  ): Promise<unknown>;
  /** Calls `listener` with what scripts publish on the channel. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Calls `listener` whenever the server is there, after it was away, and at the start. */
  onBack(listener: () => void): void;
  isAway(): boolean;
  /** Resolves when the server is there, and after `ms` at the latest. */
  ready(ms: number): Promise<void>;
  close(): void;
}

export type Argument = string | number | Buffer;
type OnLate = (reply: unknown) => void;

/** A Lua script. */
export interface Script {
  readonly source: string;
  readonly hash: string;
}

export interface ServerOptions {
  url: string;
  onTrouble: ServerTrouble;
}

/** What takes longer counts as away: answers must not wait for it. */
const AWAY_MS = 100;
const TICK_MS = 10;
/** How often it is tried whether it is back. */
const PROBE_MS = 100;
/**
 * So many late answers in a row, two seconds, and the connection is replaced: one whose packets are lost
 * (the server's machine is gone, and another one has its address) would be given up after a quarter of an hour.
 */
const LATE_PROBES = 10;
/** All that is kept on the server has a key that begins with this: in a cluster it is in one place then. */
export const KEY_PREFIX = '{marketgraph}';

/** `flags`: what the script may do, e.g. `allow-oom`. */
export function script(lua: string, flags = ''): Script {
  const source = `#!lua flags=${flags}\n${lua}`;
  return { source, hash: createHash('sha1').update(source).digest('hex') };
}

export function openServer({ url, onTrouble }: ServerOptions): Server {
  const { promise: firstReady, resolve: noteReady } = Promise.withResolvers<void>();
  const backListeners: (() => void)[] = [];
  /** What was asked and not answered in time; nothing can be done about it while the server is away. */
  const unanswered: (() => void)[] = [];
  let isAway = true;
  let isProbing = false;
  let isClosed = false;
  const trouble = createTrouble(onTrouble);
  const refusals = new Map<Script, Trouble>();
  const link = openLink(url, () => void probe());

  function noteAway(reason: string): void {
    isAway = true;
    trouble.note(reason);
    void probe();
  }

  function noteRefusal(one: Script, reason: string): void {
    const refusal = refusals.get(one) ?? createTrouble(onTrouble);
    refusals.set(one, refusal);
    refusal.note(reason);
  }

  function noteBack(): void {
    if (!isAway || isClosed) return;
    isAway = false;
    trouble.end();
    noteReady();
    for (const settle of unanswered.splice(0)) settle();
    for (const listener of backListeners) listener();
  }

  /** Asks until there is an answer in time. */
  async function probe(): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    for (let late = 0; ;) {
      if (isClosed) return;
      if (late > 0 && late % LATE_PROBES === 0) link.renew();
      const reply = await inTime(link.send(KEY_PREFIX, ['EXISTS', KEY_PREFIX])).catch(asError);
      if (reply !== LATE && !(reply instanceof Error)) break;
      late = reply === LATE ? late + 1 : 0;
      trouble.note(reply === LATE ? 'it answers too late' : reply.message);
      await pause(PROBE_MS, undefined, { ref: false });
    }
    isProbing = false;
    noteBack();
  }

  async function run(...[one, keys, args, onLate]: Parameters<Server['run']>): Promise<unknown> {
    if (isAway || isClosed) return undefined;
    const sent = evaluate(link, one, keys, args);
    try {
      const reply = await inTime(sent);
      if (reply !== LATE) {
        refusals.get(one)?.end();
        return reply;
      }
      noteAway('it answers too late');
    } catch (error) {
      if (isRefusal(error)) {
        // Who refuses is there.
        noteRefusal(one, error.message);
        return undefined;
      }
      noteAway(asError(error).message);
    }
    if (onLate) unanswered.push(() => void sent.then(onLate, () => onLate(undefined)));
    return undefined;
  }

  void probe();
  return {
    run,
    listen: (channel, listener) => link.listen(channel, listener),
    onBack: (listener) => void backListeners.push(listener),
    isAway: () => isAway,
    ready: (ms) => Promise.race([firstReady, pause(ms, undefined, { ref: false })]),
    close() {
      isClosed = true;
      link.close();
    },
  };
}

const LATE = Symbol('late');

/**
 * What comes in time, or LATE. A machine that is short of time is no reason to give the server up: a
 * moment in which this process stood still counts as one tick, however long it was.
 */
async function inTime(sent: Promise<unknown>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === AWAY_MS / TICK_MS) void readArrived().then(() => resolve(LATE));
  }, TICK_MS);
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearInterval(timer);
  }
}

/** Sockets are read between two of them. */
async function readArrived(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

async function evaluate(
  link: Link,
  { source, hash }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args.map(asText)];
  try {
    return await link.send(keys[0]!, ['EVALSHA', hash, ...rest]);
  } catch (error) {
    // A server that was restarted, or told to, has forgotten its scripts.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return link.send(keys[0]!, ['EVAL', source, ...rest]);
  }
}

const asText = (one: Argument) => (typeof one === 'number' ? String(one) : one);
const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** The server has said no: e.g. NOPERM, OOM, or an error of a script. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ErrorReply &&
  !/^(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|TRYAGAIN)/.test(error.message);
