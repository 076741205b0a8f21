import type { IncomingMessage } from 'node:http';
import { createBodyBytes } from './body-bytes.ts';

/** Bodies of which a part has come, bounded in all. */

/** All together hold so much at most: those that began first are cut, since they take longest. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What is held of a body besides its bytes. */
const OVERHEAD_BYTES = 1024;

/** A body that comes in chunks. */
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
    const bytes = createBodyBytes();
    const release = () => hold(request, 0);
    request.once('close', release);
    return {
      add(chunk) {
        const before = bytes.capacity();
        if (!bytes.add(chunk)) return false;
        if (bytes.capacity() === before) return true;
        hold(request, OVERHEAD_BYTES + bytes.capacity());
        cutOldest(request);
        return true;
      },
      text: bytes.text,
      release,
    };
  };
}
