import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { MAX_ANSWER_SHARE, pack, readAsked, findRedundantStored } from '../packing.ts';
import type { Argument, Server } from './server.ts';
import {
  type Coverage,
  UNSHARED_FLIGHT,
  type Asked,
  type Claim,
  type Flight,
  type UpstreamReply,
  NOTE_DELAY_MS,
  NOTES_KEPT_MS,
  type Shared,
} from '../shared.ts';
import { type Tasks, track, whenEnded } from '../tasks.ts';
import { createFlightNews } from './flight-news.ts';
import { pairsOf, texts } from './hash.ts';
import { recentOn } from './recent.ts';
import { CLAIM, IS_UNDER_WAY, NOTE, NOTES, RELEASE } from './flight-scripts.ts';
import { readStored } from './answers-reply.ts';
import { LAND, MAKE_ROOM, READ, REMOVE } from './answer-scripts.ts';

/** State shared by all replicas that reach a Valkey or Redis server. */

interface ValkeyOptions {
  server: Server;
  /** Prefix of all key names. */
  base: string;
  /** Maximum memory that answers may take, in bytes: above it, those that expire first are removed early. */
  maxBytes: number;
}

/** How often to check whether a flight is over: news of it comes by subscription, and may be lost. */
const POLL_MS = 100;
/**
 * How long what ends a flight waits for a server that is away: most of the time it is back soon, and until then others
 * would wait for this flight, and perhaps pay again for its answer.
 */
const MAX_AWAY_MS = 1000;
/** Share of the answers that is removed when the server itself is full. */
const REMOVED_SHARE = 0.1;

export function sharedByValkey({ server, base, maxBytes }: ValkeyOptions): Shared {
  const writer = randomUUID();
  const channel = `${base}news`;
  const news = createFlightNews(server, channel);
  const underWay: Tasks = new Set();
  const flightsOf = (key: string) => `${base}flights:${key}`;

  async function store(
    coverages: readonly Coverage[],
    token: string,
    answer: UpstreamReply,
    keepMs: number,
  ): Promise<void> {
    const since = performance.now();
    // Callers in this process that wait for the answer come first, unless another process waits, too.
    if (!news.isAwaited(token)) {
      // Replies that are ready now are sent in a callback that is queued after the first of these.
      await setImmediate();
      await setImmediate();
    }
    const { keys, args } = await packAll(coverages, answer);
    const heads = keys.map((key) => `${base}heads:${key}`);
    const flights = flightsOf(coverages[0]!.key);
    await whenThere();
    const lateMs = Math.round(performance.now() - since);
    const commonArgs = [base, token, channel, writer, keepMs, maxBytes, lateMs];
    const landed = await server.run(LAND, [flights, ...heads], [...commonArgs, ...args]);
    if (landed === undefined) await (server.isAway() ? release : makeRoom)(flights, token);
    for (const [i, stored] of textLists.catch([]).parse(landed).entries())
      await removeRedundant(keys[i]!, stored);
  }

  /** Packs an answer for each key, without those that are too large; returns the keys, and the arguments of LAND. */
  async function packAll(coverages: readonly Coverage[], answer: UpstreamReply) {
    const keys: string[] = [];
    const args: Argument[] = [];
    for (const { key, asked } of coverages) {
      const { head, body } = await pack({ ...answer, asked });
      if (body.length > maxBytes * MAX_ANSWER_SHARE) continue;
      keys.push(key);
      args.push(key, head, Buffer.from(body.buffer, body.byteOffset, body.length));
    }
    return { keys, args };
  }

  /** Makes room, and ends the flight: the server is full. */
  async function makeRoom(flights: string, token: string): Promise<void> {
    await server.run(MAKE_ROOM, [`${base}ends`], [base, REMOVED_SHARE]);
    await release(flights, token);
  }

  async function removeRedundant(key: string, stored: readonly string[]): Promise<void> {
    const heads = pairsOf(stored)
      .map(([number, head]) => ({ number, head }))
      .toSorted((a, b) => Number(b.number) - Number(a.number));
    const numbers = findRedundantStored(heads).map(({ number }) => number);
    if (numbers.length === 0) return;
    await server.run(
      REMOVE,
      [`${base}heads:${key}`, `${base}bodies:${key}`],
      [base, key, ...numbers],
    );
  }

  async function whenThere(): Promise<void> {
    if (server.isAway()) await server.ready(MAX_AWAY_MS);
  }

  /** Ends a flight; if that fails, it ends with its lease. */
  async function release(flights: string, token: string): Promise<void> {
    await whenThere();
    await server.run(RELEASE, [flights], [token, channel]);
  }

  function flight(key: string, token: string): Flight {
    return {
      isOurs: true,
      land(answer, keepMs, also) {
        const about = { key, asked: answer.asked };
        const isAwaited = !server.isAway() && news.isAwaited(token);
        const stored = store(also ? [about, also] : [about], token, answer, keepMs);
        track(underWay, stored);
        // What is sent to the server leaves only once this process has nothing else to do. If callers here were served
        // first, the other process would wait for that, too.
        return isAwaited ? stored.catch(() => undefined) : undefined;
      },
      release() {
        const released = release(flightsOf(key), token);
        track(underWay, released);
        // While the server is away nothing can be claimed either.
        return server.isAway() ? undefined : released;
      },
    };
  }

  async function flightOver(key: string, token: string, leftMs: number): Promise<void> {
    const until = performance.now() + leftMs;
    while (performance.now() < until) {
      if (await news.isOver(token, Math.min(POLL_MS, until - performance.now()))) return;
      if ((await server.run(IS_UNDER_WAY, [flightsOf(key)], [token])) !== 1) return;
    }
  }

  async function claim(key: string, asked: Asked, leaseMs: number): Promise<Claim> {
    const token = randomUUID();
    const flights = flightsOf(key);
    const onLate = () => void release(flights, token);
    const reply = await server.run(
      CLAIM,
      [flights, `${base}wants:${key}`],
      [token, JSON.stringify(asked), leaseMs, channel],
      onLate,
    );
    const { data: other } = taken.safeParse(reply);
    if (other) return { isOurs: false, over: flightOver(key, String(other[0]), other[1]) };
    const { data: ours } = granted.safeParse(reply);
    return ours
      ? { ...flight(key, token), asked: readAsked(String(ours[1])) ?? asked }
      : UNSHARED_FLIGHT;
  }

  return {
    async read(key, after) {
      const keys = [`${base}heads:${key}`, `${base}bodies:${key}`];
      const reply = await server.run(READ, keys, [after ?? '', writer]);
      return readStored(reply);
    },
    recent: (prefix, maxKeys) => recentOn({ server, base }, prefix, maxKeys),
    claim,
    note: (topic, text) =>
      track(
        underWay,
        pause(NOTE_DELAY_MS).then(() =>
          server.run(NOTE, [`${base}notes:${topic}`], [writer, text, NOTES_KEPT_MS]),
        ),
      ),
    async notes(topic) {
      const reply = await server.run(NOTES, [`${base}notes:${topic}`], [writer]);
      return texts.catch([]).parse(reply);
    },
    async close() {
      await whenEnded(underWay);
    },
  };
}

const buffer = z.instanceof(Buffer);
const textLists = z.array(texts);
/** Token of the flight in the way, and how long it lasts at most, in milliseconds. */
const taken = z.tuple([buffer, z.number()]);
/** An empty text, and what was claimed, extended by the wants of others. */
const granted = z.tuple([buffer, buffer]);
