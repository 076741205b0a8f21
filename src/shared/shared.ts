import { hash } from 'node:crypto';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Span } from '../time.ts';

/**
 * State that the processes of a gateway have in common, and that outlives a restart. Only this folder knows where it is
 * kept (sqlite/, valkey/): open.ts chooses. Nothing here ever throws: while the state cannot be reached, a process goes
 * on by itself.
 */
export interface Shared {
  /**
   * Returns the stored answers about `key`, oldest first; with `after`, only those that other processes stored after
   * the answer of that number. `key` names the dataset and everything that its answers depend on, except days or names.
   */
  read(key: string, after?: number): Maybe<readonly StoredAnswer[]>;
  /**
   * Returns the keys that begin with `prefix` and under which answers were stored last: latest first, `maxKeys` at
   * most. Any may be left out; those that take long to find or to read should be.
   */
  recent(prefix: string, maxKeys: number): Maybe<readonly string[]>;
  /**
   * Claims the sole right to fetch `asked`, extended by the days that touch it and that other processes have claimed in
   * vain: they wait for this answer. The claim expires after `leaseMs`, in case its owner dies. `instead`: other keys
   * whose answers would do as well; while one of these is claimed, `key` is taken.
   */
  claim(key: string, asked: Asked, leaseMs: number, instead?: readonly string[]): Maybe<Claim>;
  /** Publishes a short text about `topic` to other processes; it replaces this process's previous one. */
  note(topic: string, text: string): void;
  /** Returns what other processes have recently published about `topic`. */
  notes(topic: string): Maybe<readonly string[]>;
  /** Resolves once everything that was handed over is stored. */
  close(): Promise<void>;
}

/** How far the clock of a store may go back if it is only corrected; beyond that, it was set back. */
export const MAX_CLOCK_CORRECTION_MS = 5000;

/** Returns the age of an answer that is `ms` old by the store's clock; one from before that was set back may have any. */
export const ageOf = (ms: number): number =>
  ms < -MAX_CLOCK_CORRECTION_MS ? Infinity : Math.max(0, ms);

/** How long notes are kept. */
export const NOTES_KEPT_MS = 10_800_000;
/** How long a note is held back, so that a process that reads it also finds the answers that came before it. */
export const NOTE_DELAY_MS = 50;

/** Returns `shared` with keys of its own for `names`: processes with other names see nothing stored there. */
export function withNamespace(names: readonly string[], shared: Shared): Shared {
  const named = JSON.stringify([FORMAT_VERSION, ...names]);
  const prefix = hash('sha256', named, 'base64url').slice(0, 16);
  return {
    read: (key, after) => shared.read(`${prefix} ${key}`, after),
    recent: (rest, maxKeys) =>
      whenReady(shared.recent(`${prefix} ${rest}`, maxKeys), (keys) =>
        keys.map((key) => key.slice(prefix.length + 1)),
      ),
    claim(key, asked, leaseMs, instead = []) {
      const others = instead.map((other) => `${prefix} ${other}`);
      return whenReady(shared.claim(`${prefix} ${key}`, asked, leaseMs, others), (claim) =>
        claim.isOurs ? withPrefix(prefix, claim) : claim,
      );
    },
    note: (topic, text) => shared.note(`${prefix} ${topic}`, text),
    notes: (topic) => shared.notes(`${prefix} ${topic}`),
    close: shared.close,
  };
}

const withPrefix = (prefix: string, flight: Flight): Flight => ({
  ...flight,
  land: (answer, keepMs, also) =>
    flight.land(answer, keepMs, also && { ...also, key: `${prefix} ${also.key}` }),
});

/**
 * Version of the stored form. Answers of another version are neither seen nor touched, so that processes of both may
 * run side by side. To be raised whenever another version could not read what is written.
 */
const FORMAT_VERSION = 1;

/** What an answer is about: all there is under its key (null), some days, or some names. */
export type Asked = null | AskedSpan | readonly string[];

/** A range of days. */
export interface AskedSpan extends Span {
  /** Whether the answer is not final for these days, even for days that no longer change. */
  isProvisional?: boolean | undefined;
  /** Whether more days were asked for than anybody waited for. */
  isWidened?: boolean | undefined;
}

/** A key, and what an answer covers under it. */
export interface Coverage {
  key: string;
  asked: Asked;
}

/** An upstream answer as received. */
export interface UpstreamReply {
  asked: Asked;
  status: number;
  body: string;
  /** Wall-clock time of the process that received it, in milliseconds since 1970. */
  retrievedAt: number;
  /** Whether it has no records: then older answers are kept, which it may not replace (`findRedundant`). */
  isEmpty?: boolean | undefined;
}

export interface StoredAnswer extends UpstreamReply {
  /** Answers are numbered in the order in which they were stored. */
  number: number;
  /** Time since it came or was stored, in milliseconds (`ageOf`). */
  age: number;
}

/** The outcome of a claim: only one process at a time has the right to fetch something. */
export type Claim = Flight | Taken;

/** A claim that this process holds. */
export interface Flight {
  isOurs: true;
  /** What no other process requests meanwhile; undefined: what was claimed. */
  asked?: Asked;
  /**
   * Stores the answer for `keepMs`, and ends the claim. May return a promise if other processes wait for the answer,
   * too: then callers in this process are served only once it resolves, i.e. after the answer was stored. `also`:
   * another key that the answer covers; it is stored under that one, too.
   */
  land(answer: UpstreamReply, keepMs: number, also?: Coverage): Maybe<void>;
  /**
   * Ends the claim without an answer. May return a promise: a claim of the same that is made before it resolves may
   * still find this one in its way.
   */
  release(): Maybe<void>;
}

/** Another process holds a claim on some of it. */
export interface Taken {
  isOurs: false;
  /** Resolves when the other process has stored its answer, has given up, or is presumed dead. */
  over: Promise<void>;
}

/** A flight that no other process knows of. */
export const UNSHARED_FLIGHT: Flight = {
  isOurs: true,
  land: () => undefined,
  release: () => undefined,
};
