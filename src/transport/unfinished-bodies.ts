import type { IncomingMessage } from 'node:http';
import { createBodyBytes } from './body-bytes.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/** Bodies of which a part has come. */

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
export function createUnfinishedBodies(unfinished: UnfinishedBytes) {
  return function begin(request: IncomingMessage): UnfinishedBody {
    const bytes = createBodyBytes();
    const release = () => unfinished.hold(request, 0);
    request.once('close', release);
    return {
      add(chunk) {
        const before = bytes.capacity();
        if (!bytes.add(chunk)) return false;
        if (bytes.capacity() === before) return true;
        unfinished.hold(request, OVERHEAD_BYTES + bytes.capacity());
        return true;
      },
      text: bytes.text,
      release,
    };
  };
}
