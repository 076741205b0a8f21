import { createHash } from 'node:crypto';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Span } from '../time.ts';

/**
 * What several processes of a gateway, and the same one after a restart, have in common. Only this folder knows where
 * it is kept (sqlite/, valkey/): open.ts chooses. Nothing here ever throws: where the state cannot be
 * reached, a process goes on by itself.
 */
export interface Shared {
  /**
   * The answers about `key` that are stored, oldest first; with `after` only those of other processes
   * that come after the one of that number. `key` names the dataset and all that its answers depend
   * on, beside days or names.
   */
  read(key: string, after?: number): Maybe<readonly StoredAnswer[]>;
  /**
   * The keys that begin with `prefix` and under which answers were stored last, the latest first, at most
   * `most`. Any may be left out: those that take long to find or to read should be.
   */
  recent(prefix: string, most: number): Maybe<readonly string[]>;
  /**
   * Asks for the sole right to fetch what `asked` is about, and what others have asked for in vain that
   * touches it: they wait for it. It ends after `leaseMs` by itself, in case that its owner dies.
   */
  claim(key: string, asked: Asked, leaseMs: number): Maybe<Claim>;
  /** Tells other processes a short text about `topic`, in place of what this one has told before. */
  note(topic: string, text: string): void;
  /** What other processes have told about `topic` lately. */
  notes(topic: string): Maybe<readonly string[]>;
  /** Resolves once all that has been handed over is stored. */
  close(): Promise<void>;
}

/** Notes are forgotten after this. */
export const NOTES_KEPT_MS = 10_800_000;
/** Notes are told with this delay, so that whoever reads one also finds the answers that came before it. */
export const NOTE_AFTER_MS = 50;

/** The same for keys of one kind: who has other `names` sees nothing of them. */
export function sharedUnder(names: readonly string[], shared: Shared): Shared {
  const hash = createHash('sha256').update(JSON.stringify([FORM, ...names]));
  const prefix = hash.digest('base64url').slice(0, 16);
  return {
    read: (key, after) => shared.read(`${prefix} ${key}`, after),
    recent: (rest, most) =>
      whenReady(shared.recent(`${prefix} ${rest}`, most), (keys) =>
        keys.map((key) => key.slice(prefix.length + 1)),
      ),
    claim: (key, asked, leaseMs) =>
      whenReady(shared.claim(`${prefix} ${key}`, asked, leaseMs), (claim) =>
        claim.isOurs ? landingUnder(prefix, claim) : claim,
      ),
    note: (topic, text) => shared.note(`${prefix} ${topic}`, text),
    notes: (topic) => shared.notes(`${prefix} ${topic}`),
    close: shared.close,
  };
}

const landingUnder = (prefix: string, flight: Flight): Flight => ({
  ...flight,
  land: (answer, keepMs, also) =>
    flight.land(answer, keepMs, also && { ...also, key: `${prefix} ${also.key}` }),
});

/**
 * The version of what is stored. Answers of another version are not seen, and not touched: processes of
 * both may run side by side. To be raised whenever another one could not read what is written.
 */
const FORM = 1;

/** What an answer is about: all there is under its key (null), some days, or some names. */
export type Asked = null | AskedSpan | readonly string[];

/** A range of days. */
export interface AskedSpan extends Span {
  /** Whether the answer is no sure word on them, even on those that no longer change. */
  isProvisional?: boolean | undefined;
}

/** What an answer is about under which key. */
export interface About {
  key: string;
  asked: Asked;
}

/** An upstream answer as it came. */
export interface UpstreamReply {
  asked: Asked;
  status: number;
  body: string;
  /** Wall time of the process that got it, in milliseconds since 1970. */
  retrievedAt: number;
}

export interface StoredAnswer extends UpstreamReply {
  /** Answers are numbered in the order in which they were stored. */
  number: number;
  /** How long ago it was stored, in milliseconds. */
  age: number;
}

/** The right to fetch something, which one process has at a time. */
export type Claim = Flight | Taken;

export interface Flight {
  isOurs: true;
  /** What nobody else asks for meanwhile; undefined: what was claimed. */
  asked?: Asked;
  /**
   * The answer has come: stores it for `keepMs`, and ends the claim. Resolves at once, or when those may
   * be served who wait for it here: after other processes have got it, where that takes no time. `also`:
   * what it tells of another key; it is stored under that one, too.
   */
  land(answer: UpstreamReply, keepMs: number, also?: About): Maybe<void>;
  /** Ends the claim without an answer. */
  release(): void;
}

export interface Taken {
  isOurs: false;
  /** Resolves when the other process has stored its answer, or given up, or can be taken for dead. */
  over: Promise<void>;
}

/** A flight of which no other process knows. */
export const UNSHARED_FLIGHT: Flight = {
  isOurs: true,
  land: () => undefined,
  release: () => undefined,
};
