import { MAX_BODY_BYTES } from './http-message.ts';

/** Maximum chunks of a body: only clients that mean to keep the process busy send a few bytes at a time. */
const MAX_CHUNKS = 20_000;

const EMPTY = Buffer.alloc(0);

/**
 * Joins the bytes of a body that arrives in chunks, however small these are. They are copied, since a
 * chunk may be a slice of 64 KiB that it would keep from being freed.
 */
export function createBodyBytes() {
  let bytes = EMPTY;
  let size = 0;
  let chunks = 0;

  function grow(needed: number): void {
    const doubled = Math.min(2 * bytes.length, MAX_BODY_BYTES);
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, doubled));
    bytes.copy(larger, 0, 0, size);
    bytes = larger;
  }

  return {
    /** Adds a chunk. Returns false if it makes the body too long, or is one too many. */
    add(chunk: Uint8Array): boolean {
      chunks += 1;
      if (chunks > MAX_CHUNKS || size + chunk.length > MAX_BODY_BYTES) return false;
      if (size + chunk.length > bytes.length) grow(size + chunk.length);
      bytes.set(chunk, size);
      size += chunk.length;
      return true;
    },
    /** How much memory is allocated, in bytes. */
    capacity: () => bytes.length,
    /** Returns the body's text, and releases the bytes. To be called once, at the end. */
    text(): string {
      const text = bytes.toString('utf8', 0, size);
      bytes = EMPTY;
      return text;
    },
  };
}
