import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from './http-message.ts';

/** Bodies of which a part has come: bounded in all, and each in one piece, however small its chunks are. */

/** A body may come in so many chunks: nobody sends a few bytes at a time but to keep us busy. */
const MAX_CHUNKS = 20_000;
/** All together hold so much at most: those that began first are cut, since they take longest. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What is held of a body besides its bytes. */
const OVERHEAD_BYTES = 1024;

/** A body that comes in chunks. A chunk may keep 64 KiB from being freed, of which it is a part: it is copied. */
export interface UnfinishedBody {
  /** False where that is too much, or in too many pieces. */
  add(chunk: Buffer): boolean;
  text(): string;
  /** It has ended, or is not wanted any more. */
  release(): void;
}

/** Takes in the bodies of one server. */
export function createUnfinishedBodies() {
  const held = new Map<IncomingMessage, number>();
  let total = 0;

  function hold(request: IncomingMessage, bytes: number): void {
    total += bytes - (held.get(request) ?? 0);
    if (bytes > 0) held.set(request, bytes);
    else held.delete(request);
  }

  function cutOldest(newest: IncomingMessage): void {
    for (const request of held.keys()) {
      if (total <= MAX_BYTES || request === newest) return;
      hold(request, 0);
      request.socket.destroy();
    }
  }

  return function begin(request: IncomingMessage): UnfinishedBody {
    let bytes = Buffer.allocUnsafe(0);
    let size = 0;
    let chunks = 0;
    const release = () => hold(request, 0);
    request.once('close', release);

    function grow(needed: number): void {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(needed, Math.min(2 * bytes.length, MAX_BODY_BYTES)),
      );
      bytes.copy(larger, 0, 0, size);
      bytes = larger;
      hold(request, OVERHEAD_BYTES + bytes.length);
      cutOldest(request);
    }

    return {
      add(chunk) {
        chunks += 1;
        if (chunks > MAX_CHUNKS || size + chunk.length > MAX_BODY_BYTES) return false;
        if (size + chunk.length > bytes.length) grow(size + chunk.length);
        size += chunk.copy(bytes, size);
        return true;
      },
      text: () => bytes.toString('utf8', 0, size),
      release,
    };
  };
}
