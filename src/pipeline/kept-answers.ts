import { hash } from 'node:crypto';
import { createCacheAdmission } from '../cache-admission.ts';
import type { Namespace } from '../cache/store.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Served, Warning } from '../usage/operation.ts';
import {
  type Coding,
  type CompressedHead,
  type CompressedHeads,
  compressHead,
} from './compression.ts';
import type { ObserveRepeat } from './request.ts';
import type { RequestKey } from './request-key.ts';

/** The serialized data of one operation, valid as long as everything it used is fresh and current. */
export interface KeptAnswer {
  /** The text of the request's key. */
  text: string;
  /** The response's JSON up to the end of its `data`. */
  head: Buffer | string;
  mediaType: string;
  /** Undefined unless it answers a GET. */
  etag: string | undefined;
  freshUntil: number;
  /** For each cached value that it used: whether the cache would still return the same. */
  parts: ReadonlySet<() => boolean>;
  /** For a request by id: whether the id still stands for the same text. */
  isSameText: (() => boolean) | undefined;
  /** The operation's name. */
  name: string | undefined;
  /** The cache lookups that went into it. */
  served: readonly Served[];
  /** About unreadable records, which hold as long as its parts do. */
  warnings: ReadonlySet<Warning>;
  compressed: CompressedHeads;
  /** What to call when it is sent again, by the name of the client that gets it. */
  observers: Map<string | undefined, ObserveRepeat>;
  /** To be called when it takes `bytes` more memory. */
  addBytes(bytes: number): void;
  /** The tail that was sent last, and head and tail in one piece if that tail was sent more than once. */
  last?: { tail: string; whole?: Buffer };
}

type NewAnswer = Omit<KeptAnswer, 'text' | 'compressed' | 'last' | 'observers' | 'addBytes'>;

/** A cache of whole responses by request: after a hit, the response only has to be sent. */
export interface KeptAnswers {
  /** Returns an answer that is still valid. `at`: now, by the monotonic clock. */
  find(key: RequestKey, at: number): KeptAnswer | undefined;
  /** Whether an answer of about `size` bytes is worth keeping. To be called once per answer: it remembers the key. */
  wants(key: RequestKey, size: number): boolean;
  /** To be called when another request waits for the answer: this makes it worth keeping. */
  expect(key: RequestKey): void;
  /** Keeps an answer, and returns it in the form in which it is kept. */
  keep(key: RequestKey, answer: NewAnswer): KeptAnswer;
}

/**
 * Answers are stored by the hash of their key: of two requests with the same hash, the later one is kept.
 * `stretchDecreases` counts how often data have begun to age faster: an answer that was kept before may expire earlier
 * than its `freshUntil`, so it is no longer used.
 */
export function createKeptAnswers(
  namespace: Namespace<KeptAnswer & { stretchDecreases: number }, number>,
  stretchDecreases: () => number,
): KeptAnswers {
  const admission = createCacheAdmission();

  return {
    wants: (key, size) => admission.wants(key.hash, bytesOf(key, size)),
    expect: (key) => admission.expect(key.hash),
    find(key, at) {
      const answer = namespace.get(key.hash);
      if (
        answer?.text !== key.text ||
        at >= answer.freshUntil ||
        answer.stretchDecreases !== stretchDecreases()
      )
        return undefined;
      if (answer.isSameText?.() === false) return undefined;
      for (const isCurrent of answer.parts) if (!isCurrent()) return undefined;
      return answer;
    },
    keep(key, answer) {
      let bytes = bytesOf(key, answer.head.length);
      const addBytes = (more: number) => {
        bytes += more;
        if (namespace.get(key.hash) === kept) namespace.set(key.hash, kept, bytes);
      };
      const compressed = compressedOnce(() => kept.head, addBytes);
      const kept = {
        ...answer,
        text: key.text,
        compressed,
        observers: new Map(),
        addBytes,
        stretchDecreases: stretchDecreases(),
      };
      namespace.set(key.hash, kept, bytes);
      return kept;
    },
  };
}

/** Bytes that an answer takes besides its text and its key, such as the records of its parts. */
const OVERHEAD_BYTES = 1000;

const bytesOf = ({ text }: RequestKey, size: number) => size + 2 * text.length + OVERHEAD_BYTES;

/** Compresses a head once for each coding; `onBytes` is called with the size of each. */
function compressedOnce(
  head: () => Buffer | string,
  onBytes: (bytes: number) => void,
): CompressedHeads {
  const heads = new Map<Coding, Maybe<CompressedHead>>();
  return (coding) => {
    const known = heads.get(coding);
    if (known) return known;
    const compressed = whenReady(compressHead(coding, head()), (done) => {
      heads.set(coding, done);
      onBytes(done.bytes.length);
      return done;
    });
    heads.set(coding, compressed);
    if (compressed instanceof Promise) compressed.catch(() => heads.delete(coding));
    return compressed;
  };
}

/**
 * Returns an answer and its account in one piece, which is sent faster than two: the account stays the same until
 * something is spent. Undefined if the account differs from the last one, or if the head is a string, to which the
 * account is appended faster.
 */
export function wholeOf(kept: KeptAnswer, tail: string): Buffer | undefined {
  const { head, last } = kept;
  if (typeof head === 'string') return undefined;
  if (last?.tail !== tail) {
    kept.last = { tail };
    return undefined;
  }
  if (!last.whole) {
    last.whole = Buffer.concat([head, Buffer.from(tail)]);
    // Only one copy of the head is kept.
    kept.head = last.whole.subarray(0, head.length);
  }
  return last.whole;
}

/** Returns an entity tag of the data; what they cost makes no difference. */
export function etagOf(head: Buffer | string): string {
  return `W/"${hash('sha1', head, 'base64url')}"`;
}
