import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { whenReady } from '../../maybe.ts';
import type { Clock } from '../../time.ts';
import { overlaps, withWanted } from '../asked.ts';
import { createLull } from '../lull.ts';
import { readAsked, unpack } from '../packing.ts';
import { MAX_SEARCHED_ANSWERS, recentKeys } from '../recent.ts';
import {
  ageOf,
  MAX_CLOCK_CORRECTION_MS,
  UNSHARED_FLIGHT,
  NOTE_DELAY_MS,
  NOTES_KEPT_MS,
  type Asked,
  type Claim,
  type Flight,
  type Shared,
} from '../shared.ts';
import { type FileTrouble, openSqliteFile } from './file.ts';
import { createStorage } from './storage.ts';
import type { Tables } from './answer-tables.ts';
import { type Tasks, track, whenEnded } from '../tasks.ts';

/** State shared by the processes of one machine, and by later ones: an SQLite file. */

interface SqliteOptions {
  path: string;
  /** Maximum size of the file, in bytes: above it, the answers that expire first are removed early. */
  maxBytes: number;
  now: Clock;
  monotonic: Clock;
  onTrouble: FileTrouble;
}

/** How often to check whether another process has ended its flight. */
const POLL_MS = 5;
/** How long storing an answer is put off at most while this process waits for other answers. */
const MAX_STORE_DELAY_MS = 10;

export function sharedBySqlite(options: SqliteOptions): Shared {
  const { maxBytes, now, monotonic } = options;
  const file = openSqliteFile(options);
  const writer = randomUUID();
  const underWay: Tasks = new Set();
  const lull = createLull();
  const store = createStorage({
    file,
    maxBytes,
    writer,
    now,
    whenServed,
    pause: setImmediate,
    sleep,
  });

  async function whenServed(): Promise<void> {
    await Promise.race([lull.wait(), sleep(MAX_STORE_DELAY_MS)]);
    // Replies that are ready now are sent in a callback that is queued after the first of these.
    await setImmediate();
    await setImmediate();
  }

  function flight(key: string, token: string): Flight {
    const end = lull.begin();
    return {
      isOurs: true,
      land(answer, keepMs, also) {
        end();
        const about = { key, asked: answer.asked };
        const coverages = also ? [about, also] : [about];
        track(underWay, store({ token, coverages, answer, storedAt: now(), keepMs }));
      },
      release() {
        end();
        return whenReady(
          file.insist((tables) => tables.endFlight(token)),
          () => undefined,
        );
      },
    };
  }

  /**
   * Resolves when the flight is over. `leaseLeftMs`: what is left of its lease, by the monotonic clock, since the wall
   * clock may be set back meanwhile.
   */
  async function flightOver(token: string, leaseLeftMs: number): Promise<void> {
    const until = monotonic() + leaseLeftMs;
    while (monotonic() < until) {
      await sleep(POLL_MS);
      const isUnderWay = file.attempt((tables) => tables.isUnderWay(token));
      if (!isUnderWay) return;
    }
  }

  function otherFlight(tables: Tables, key: string, asked: Asked, leaseMs: number) {
    // Of a flight whose beginning is unknown, the lease is assumed to be that of this process.
    return tables.flightsOf(key).find(({ token, asked: text, until, began = until - leaseMs }) => {
      // A flight that begins in the future is from before the clock was set back.
      const isOver = until <= now() || began > now() + MAX_CLOCK_CORRECTION_MS;
      if (isOver) tables.endFlight(token);
      const other = readAsked(text);
      return !isOver && other !== undefined && overlaps(asked, other);
    });
  }

  function claim(
    tables: Tables,
    key: string,
    asked: Asked,
    leaseMs: number,
    instead: readonly string[],
  ): Claimed {
    const other = otherFlight(tables, key, asked, leaseMs);
    if (other) tables.addWant(key, JSON.stringify(asked), other.until);
    const alike = instead.values().map((one) => otherFlight(tables, one, null, leaseMs));
    const found = other ?? alike.find((one) => one !== undefined);
    if (found) {
      tables.awaitFlight(found.token);
      return { isOurs: false, over: flightOver(found.token, found.until - now()) };
    }
    const token = randomUUID();
    const all = takeWants(tables, key, asked);
    tables.addFlight(token, key, JSON.stringify(all), now(), now() + leaseMs);
    return { token, asked: all };
  }

  /** Returns `asked`, extended by the wants of others that touch it, and removes those wants. */
  function takeWants(tables: Tables, key: string, asked: Asked): Asked {
    const wants = tables.wants(key, now()).flatMap(({ row, asked: text }) => {
      const wanted = readAsked(text);
      return wanted === undefined ? [] : { row, wanted };
    });
    const wanted = wants.map((want) => want.wanted);
    const all = withWanted(asked, wanted);
    for (const want of wants) if (overlaps(all, want.wanted)) tables.removeWant(want.row);
    return all;
  }

  return {
    read(key, after) {
      const rows = file.attempt((tables) => tables.read(key, after, writer, now())) ?? [];
      return rows.flatMap(({ number, storedAt, ...packed }) => {
        const answer = unpack(packed);
        return answer ? { ...answer, number, age: ageOf(now() - storedAt) } : [];
      });
    },
    recent: (prefix, maxKeys) =>
      recentKeys(
        file.attempt((tables) => tables.latest(MAX_SEARCHED_ANSWERS, now())) ?? [],
        prefix,
        maxKeys,
      ),
    claim: (key, asked, leaseMs, instead = []) =>
      whenReady(
        file.insist((tables) =>
          tables.inTransaction(() => claim(tables, key, asked, leaseMs, instead)),
        ),
        (claimed = UNSHARED_FLIGHT) =>
          'token' in claimed ? { ...flight(key, claimed.token), asked: claimed.asked } : claimed,
      ),
    note(topic, text) {
      const write = (tables: Tables) =>
        tables.note(topic, writer, text, now(), now() - NOTES_KEPT_MS);
      // After this delay, the answers handed over before the note can be read.
      track(
        underWay,
        sleep(NOTE_DELAY_MS).then(() => file.insist(write)),
      );
    },
    notes: (topic) =>
      file.attempt((tables) => tables.notes(topic, writer, now() - NOTES_KEPT_MS, now())) ?? [],
    async close() {
      await whenEnded(underWay);
      file.close();
    },
  };
}

/** The outcome of a claim in the file: the token of this process's claim, or the claim of another one. */
type Claimed = { token: string; asked: Asked } | Claim;
