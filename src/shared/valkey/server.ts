import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply } from '@redis/client';
import { asError } from '../../maybe.ts';
import type { OnTrouble } from '../trouble.ts';
import { waitAtMost } from '../waiting.ts';
import { inTime, LATE } from './in-time.ts';
import { type Link, openLink } from './link.ts';
import { createTrouble, reportAsOne, type Trouble } from './trouble.ts';

/**
 * A Valkey or Redis server (or a cluster of them) that replicas share, and that may be away at any time: down, frozen,
 * slow, or out of memory. Nothing here throws or waits for long.
 */
export interface Server {
  /**
   * Runs a script. Undefined if the server refused; if it did not answer in time, so that nobody knows whether the
   * script was run; or if it was not asked, because it is away. Once it is back, `onLate` gets the reply that came too
   * late, or undefined if none came.
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly Argument[],
    onLate?: OnLate,
  ): Promise<unknown>;
  /** Calls `listener` with what scripts publish on the channel. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Calls `listener` whenever the server is back after it was away, and when it is reached at the start. */
  onBack(listener: () => void): void;
  isAway(): boolean;
  /** Whether it is there and refuses nothing. */
  isUp(): boolean;
  /** Whether it is there and does not refuse this script. */
  accepts(script: Script): boolean;
  /** Why it has refused this script the last time; undefined if it has run it since. */
  refusalOf(script: Script): string | undefined;
  /** Resolves when the server is there, and after `ms` at the latest. */
  ready(ms: number): Promise<void>;
  close(): void;
}

export type Argument = string | number | Buffer;
type OnLate = (reply: unknown) => void;

interface Script {
  readonly source: string;
  readonly sha1: string;
}

interface ServerOptions {
  url: string;
  /** Callbacks for when the server is away. */
  onTrouble: OnTrouble;
  /** Callbacks for when it is there, but refuses something, e.g. because it is full. Default: `onTrouble`. */
  onRefusal?: OnTrouble;
}

/** How often to check whether it is back. */
const PROBE_MS = 100;
/**
 * How long a connection may bring no reply before it is replaced; the next one gets twice, those after it three times
 * as long. Some connections do not recover by themselves:
 * - one whose packets are lost because the server's machine is gone and another has its address: the system would give
 *   it up after a quarter of an hour;
 * - one to a server that has become a replica: it stays open, although its address leads to another server by now;
 * - one to a cluster that waits for a silent node, although another has taken its place.
 */
const RENEW_MS = 2000;
const MAX_RENEW_MS = 3 * RENEW_MS;
/** Prefix of all keys on the server; its braces keep them on one node of a cluster. */
export const KEY_PREFIX = '{marketgraph}';

/** `flags`: what the script may do, e.g. `allow-oom`. */
export function script(lua: string, flags = ''): Script {
  const source = `#!lua flags=${flags}\n${lua}`;
  return { source, sha1: hash('sha1', source) };
}

export function openServer({ url, onTrouble, onRefusal = onTrouble }: ServerOptions): Server {
  /** Resolves when the server is there; replaced when it is away again. */
  let there = Promise.withResolvers<void>();
  const backListeners: (() => void)[] = [];
  /** Calls not answered in time; nothing can be done about them while the server is away. */
  const unanswered: (() => void)[] = [];
  let isAway = true;
  let isProbing = false;
  let isClosed = false;
  const trouble = createTrouble(onTrouble);
  const refusals = new Map<Script, Trouble>();
  const onAnyRefusal = reportAsOne(onRefusal);
  const link = openLink(url, () => void probe());

  function noteAway(reason: string): void {
    if (!isAway) there = Promise.withResolvers();
    isAway = true;
    trouble.note(reason);
    void probe();
  }

  function noteRefusal(one: Script, reason: string): void {
    const refusal = refusals.get(one) ?? createTrouble(onAnyRefusal);
    refusals.set(one, refusal);
    refusal.note(reason);
  }

  function noteBack(): void {
    if (!isAway || isClosed) return;
    isAway = false;
    trouble.end();
    there.resolve();
    for (const settle of unanswered.splice(0)) settle();
    for (const listener of backListeners) listener();
  }

  /**
   * Sends a write that changes nothing, until there is a reply in time: a server that has become the replica of another
   * one still answers reads over the connections that it has.
   */
  async function probe(): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    for (let waitMs = RENEW_MS, since = performance.now(); ;) {
      if (isClosed) return;
      if (performance.now() - since > waitMs) {
        link.renew();
        [waitMs, since] = [Math.min(waitMs + RENEW_MS, MAX_RENEW_MS), performance.now()];
      }
      const reply = await inTime(link.send(KEY_PREFIX, ['DEL', KEY_PREFIX])).catch(asError);
      if (reply !== LATE && !(reply instanceof Error)) break;
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
      // A server that refuses is not away.
      if (isRefusal(error)) return noteRefusal(one, error.message);
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
    isUp: () => !isAway && ![...refusals.values()].some((one) => one.isReported()),
    accepts: (one) => !isAway && !refusals.get(one)?.isReported(),
    refusalOf: (one) => refusals.get(one)?.reason(),
    // The timer keeps the process alive: at the start, perhaps nothing else does.
    ready: (ms) => waitAtMost(ms, there.promise),
    close() {
      isClosed = true;
      link.close();
    },
  };
}

async function evaluate(
  link: Link,
  { source, sha1 }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args.map(asText)];
  try {
    return await link.send(keys[0]!, ['EVALSHA', sha1, ...rest]);
  } catch (error) {
    // A server that was restarted, or whose scripts were flushed, has forgotten them.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return link.send(keys[0]!, ['EVAL', source, ...rest]);
  }
}

const asText = (one: Argument) => (typeof one === 'number' ? String(one) : one);

/**
 * Whether the server has refused: e.g. NOPERM, OOM, an error of a script, or TRYAGAIN, which may last: a cluster has
 * moved some of the keys to another node, and not the others yet.
 */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ErrorReply && !/^(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY)/.test(error.message);
