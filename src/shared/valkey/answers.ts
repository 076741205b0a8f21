import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { MAX_ANSWER_SHARE, pack, findRedundantStored } from '../packing.ts';
import type { Argument, Server } from './server.ts';
import {
  type Coverage,
  UNSHARED_FLIGHT,
  type Flight,
  type UpstreamReply,
  NOTE_DELAY_MS,
  NOTES_KEPT_MS,
  type Shared,
} from '../shared.ts';
import { type Tasks, track, whenEnded } from '../tasks.ts';
import { createFlights } from './flights.ts';
import { pairsOf, texts } from './hash.ts';
import { recentOn } from './recent.ts';
import { NOTE, NOTES } from './flight-scripts.ts';
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

/** Share of the answers that is removed when the server itself is full. */
const REMOVED_SHARE = 0.1;

export function sharedByValkey({ server, base, maxBytes }: ValkeyOptions): Shared {
  const writer = randomUUID();
  const channel = `${base}news`;
  const flights = createFlights(server, { base, channel });
  const underWay: Tasks = new Set();
  const [state, ends] = [`${base}state`, `${base}ends`];
  const storedAs = (key: string) => [`${base}heads:${key}`, `${base}bodies:${key}`];

  async function store(
    coverages: readonly [Coverage, ...Coverage[]],
    token: string,
    answer: UpstreamReply,
    keepMs: number,
  ): Promise<void> {
    const since = performance.now();
    // Callers in this process that wait for the answer come first, unless another process waits, too.
    if (!flights.isAwaited(token)) {
      // Replies that are ready now are sent in a callback that is queued after the first of these.
      await setImmediate();
      await setImmediate();
    }
    const { keys, args } = await packAll(coverages, answer);
    const stored = keys.flatMap(storedAs);
    const [{ key }] = coverages;
    await flights.whenThere();
    const lateMs = Math.round(performance.now() - since);
    const commonArgs = [base, token, channel, writer, keepMs, maxBytes, lateMs];
    const landed = await server.run(
      LAND,
      [flights.of(key), state, ends, ...stored],
      [...commonArgs, ...args],
    );
    if (server.refusalOf(LAND)?.startsWith('OOM')) await makeRoom();
    if (landed === undefined) await flights.release(key, token);
    for (const [i, kept] of textLists.catch([]).parse(landed).entries())
      await removeRedundant(keys[i]!, kept);
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

  /** Makes room, since the server is full. */
  const makeRoom = () => server.run(MAKE_ROOM, [ends, state], [base, REMOVED_SHARE]);

  async function removeRedundant(key: string, kept: readonly string[]): Promise<void> {
    const heads = pairsOf(kept)
      .map(([number, head]) => ({ number, head }))
      .toSorted((a, b) => Number(b.number) - Number(a.number));
    const numbers = findRedundantStored(heads).map(({ number }) => number);
    if (numbers.length === 0) return;
    await server.run(REMOVE, [...storedAs(key), state], [base, key, ...numbers]);
  }

  function flight(key: string, token: string): Flight {
    return {
      isOurs: true,
      land(answer, keepMs, also) {
        const about = { key, asked: answer.asked };
        const isAwaited = !server.isAway() && flights.isAwaited(token);
        const stored = store(also ? [about, also] : [about], token, answer, keepMs);
        track(underWay, stored);
        // What is sent to the server leaves only once this process has nothing else to do. If callers here were served
        // first, the other process would wait for that, too.
        return isAwaited ? stored.catch(() => undefined) : undefined;
      },
      release() {
        const released = flights.release(key, token);
        track(underWay, released);
        // While the server is away nothing can be claimed either.
        return server.isAway() ? undefined : released;
      },
    };
  }

  return {
    async read(key, after) {
      const reply = await server.run(READ, storedAs(key), [after ?? '', writer]);
      return readStored(reply);
    },
    recent: (prefix, maxKeys) => recentOn({ server, base }, prefix, maxKeys),
    async claim(key, ...what) {
      const claimed = await flights.claim(key, ...what);
      if (claimed === undefined) return UNSHARED_FLIGHT;
      if (!('token' in claimed)) return claimed;
      return { ...flight(key, claimed.token), asked: claimed.asked };
    },
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

const textLists = z.array(texts);
