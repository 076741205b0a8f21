import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Shelf } from '../cache/store.ts';
import type { Clock } from '../time.ts';
import { METERS, type Meter } from '../usage/operation.ts';
import { CLIENT_NAME } from './persisted/parameters.ts';

/** The serialised data of one operation, good as long as all that it used is fresh and current. */
export interface Answer {
  /** The response's JSON up to the end of its `data`. */
  bytes: Buffer;
  contentType: string;
  /** Of answers to GET requests. */
  etag: string | undefined;
  /** On the monotonic clock, as is `freshUntil`. */
  madeAt: number;
  freshUntil: number;
  parts: ReadonlySet<() => boolean>;
}

/** Answers by the bytes of their requests. */
export interface Answers {
  find(key: string): Answer | undefined;
  /** Whether an answer of about `size` bytes is worth keeping; to be asked once for each. */
  wants(key: string, size: number): boolean;
  keep(key: string, answer: Answer): void;
}

/** So much is kept when it is asked for first. */
const AT_ONCE_BYTES = 8 * 1024 * 1024;
/** How many requests are remembered, by a hash of each. */
const REMEMBERED = 65_536;

export function createAnswers(shelf: Shelf<Answer>, now: Clock): Answers {
  const asked = new Uint32Array(REMEMBERED);
  let keptAtOnce = 0;

  return {
    // Once there is much to keep, what was never asked for before will hardly be asked for again.
    wants(key, size) {
      const hash = hashOf(key);
      const place = hash % REMEMBERED;
      if (asked[place] === hash) return true;
      asked[place] = hash;
      keptAtOnce += size;
      return keptAtOnce <= AT_ONCE_BYTES;
    },
    find(key) {
      const answer = shelf.get(key);
      if (!answer || now() >= answer.freshUntil) return undefined;
      for (const isCurrent of answer.parts) if (!isCurrent()) return undefined;
      return answer;
    },
    keep: (key, answer) => shelf.set(key, answer, answer.bytes.length + 2 * key.length),
  };
}

/** FNV-1a, 32 bits: an answer kept for another's hash does no harm. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i += 1)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** Longer requests are no queries that come again. */
const MAX_KEY_LENGTH = 16_384;

/**
 * Everything an answer depends on: the document or its id, operation name and variables are in the
 * address and the body; the headers decide how these are read and which media type goes back.
 * Undefined where a request must take the ordinary way. All clients share answers: a header that is
 * to tell them apart belongs in here. `version` is that of the list that says what ids stand for.
 */
export function answerKey(
  request: IncomingMessage,
  body: string,
  version: number,
): string | undefined {
  const { method, url = '', headers } = request;
  if (method !== 'POST' && method !== 'GET') return undefined;
  if (headers['x-usage-dry-run'] !== undefined || body.length > MAX_KEY_LENGTH) return undefined;
  const client = String(headers[CLIENT_NAME] ?? '');
  const read = `${headers.accept ?? ''}\n${headers['content-type'] ?? ''}\n${client}`;
  return `${version} ${method} ${url}\n${read}\n${body}`;
}

/** What else than its address decides about an answer, for caches in between. */
export const VARY = `Accept, Origin, ${CLIENT_NAME}`;

/** The account of a response without a body: units by meter, as a dictionary (RFC 9651). */
export const USED = 'x-usage-used';

export function usedBy(units: Readonly<Record<Meter, number>>): string {
  return METERS.map((meter) => `${meter}=${units[meter]}`).join(', ');
}

/** Of the content: the data, not what it cost. */
export function etagOf(bytes: Buffer): string {
  return `W/"${createHash('sha1').update(bytes).digest('base64url')}"`;
}

/** By weak comparison (RFC 9110 section 13.1.2): a `W/` in front makes no difference. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** A GET may be kept by everybody in between; a POST is its client's own. */
export function cacheControl(method: string | undefined, freshUntil: number, now: number): string {
  const seconds = Math.floor((freshUntil - now) / 1000);
  if (seconds <= 0) return 'no-store';
  return `${method === 'GET' ? 'public' : 'private'}, max-age=${seconds}`;
}
