import { createHash } from 'node:crypto';
import { createCacheAdmission } from '../cache-admission.ts';
import type { Namespace } from '../cache/store.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Served } from '../usage/operation.ts';
import {
  type Coding,
  type CompressedHead,
  type CompressedHeads,
  compressHead,
} from './compression.ts';
import type { ObserveRepeat } from './request.ts';
import type { RequestKey } from './request-key.ts';

/** The serialised data of one operation, good as long as all that it used is fresh and current. */
export interface KeptAnswer {
  /** The text of the request's key. */
  text: string;
  /** The response's JSON up to the end of its `data`. */
  head: Buffer | string;
  mediaType: string;
  /** Of answers to GET requests. */
  etag: string | undefined;
  freshUntil: number;
  /** Whether each part of it is still what the cache would give. */
  parts: ReadonlySet<() => boolean>;
  /** Of a request by id: whether the id still stands for the same text. */
  isSameText: (() => boolean) | undefined;
  /** Of the operation. */
  name: string | undefined;
  /** The questions that it answers. */
  served: readonly Served[];
  compressed: CompressedHeads;
  /** Whom to tell that it is sent once more, by the name of the client that it is sent to. */
  observers: Map<string | undefined, ObserveRepeat>;
  /** It takes so many bytes more. */
  grew(bytes: number): void;
  /** What followed the head last, and both together where that was sent more than once. */
  last?: { tail: string; whole?: Buffer };
}

type NewAnswer = Omit<KeptAnswer, 'text' | 'compressed' | 'last' | 'observers' | 'grew'>;

/** A cache of whole responses by their requests: one that is asked for again only has to be sent. */
export interface KeptAnswers {
  /** `at`: now, by the monotonic clock. */
  find(key: RequestKey, at: number): KeptAnswer | undefined;
  /** Whether an answer of about `size` bytes is worth keeping. Ask once for each: it remembers the key. */
  wants(key: RequestKey, size: number): boolean;
  /** Somebody else waits for the answer: it is worth keeping. */
  expect(key: RequestKey): void;
  /** Returns the answer as it is kept. */
  keep(key: RequestKey, answer: NewAnswer): KeptAnswer;
}

/**
 * Answers lie under the hashes of their keys: of two requests of one hash the later one is kept. `stretchDecreases`
 * counts how often data have begun to age faster: what was kept before may expire earlier than was expected then.
 */
export function createKeptAnswers(
  namespace: Namespace<KeptAnswer & { stretchDecreases: number }, number>,
  stretchDecreases: () => number,
): KeptAnswers {
  const admission = createCacheAdmission();

  return {
    wants: (key, size) => admission.wants(key.hash, bytesOf(key, size)),
    expect: ({ hash }) => admission.expect(hash),
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
      const { text, hash } = key;
      let bytes = bytesOf(key, answer.head.length);
      const grew = (more: number) => {
        bytes += more;
        if (namespace.get(hash) === kept) namespace.set(hash, kept, bytes);
      };
      const compressed = compressedOnce(() => kept.head, grew);
      const kept = {
        ...answer,
        text,
        compressed,
        observers: new Map(),
        grew,
        stretchDecreases: stretchDecreases(),
      };
      namespace.set(hash, kept, bytes);
      return kept;
    },
  };
}

/** What an answer takes beside its text and its key: the records of what it was made of. */
const BYTES_BESIDE = 1000;

const bytesOf = ({ text }: RequestKey, size: number) => size + 2 * text.length + BYTES_BESIDE;

/** Compresses a head once for each coding; `onBytes` is told how many bytes each takes. */
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
 * An answer and its account in one piece, which is sent faster than two: the account is the same until something
 * is spent. Undefined where the account is another one than last, or the head a string, to which it is added faster.
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
    // One copy of it is enough.
    kept.head = last.whole.subarray(0, head.length);
  }
  return last.whole;
}

/** Of the content: the data, not what it cost. */
export function etagOf(head: Buffer | string): string {
  return `W/"${createHash('sha1').update(head).digest('base64url')}"`;
}
