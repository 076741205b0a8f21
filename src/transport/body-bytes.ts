import { MAX_BODY_BYTES } from './http-message.ts';

/** A body may come in so many chunks: nobody sends a few bytes at a time but to keep us busy. */
const MAX_CHUNKS = 20_000;

const NOTHING = Buffer.alloc(0);

/**
 * The bytes of a body that comes in chunks, in one piece, however small the chunks are. They are copied, since a
 * chunk may be part of 64 KiB that it keeps from being freed.
 */
export function createBodyBytes() {
  let bytes = NOTHING;
  let size = 0;
  let chunks = 0;

  function grow(needed: number): void {
    const doubled = Math.min(2 * bytes.length, MAX_BODY_BYTES);
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, doubled));
    bytes.copy(larger, 0, 0, size);
    bytes = larger;
  }

  return {
    /** False where the body is too long with this chunk, or has too many. */
    add(chunk: Uint8Array): boolean {
      chunks += 1;
      if (chunks > MAX_CHUNKS || size + chunk.length > MAX_BODY_BYTES) return false;
      if (size + chunk.length > bytes.length) grow(size + chunk.length);
      bytes.set(chunk, size);
      size += chunk.length;
      return true;
    },
    /** How much memory they take, in bytes. */
    capacity: () => bytes.length,
    /** To be called once, at the end: the bytes are let go. */
    text(): string {
      const text = bytes.toString('utf8', 0, size);
      bytes = NOTHING;
      return text;
    },
  };
}
