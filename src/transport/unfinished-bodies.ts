import type { IncomingMessage } from 'node:http';
import { createBodyBytes } from './body-bytes.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/** Request bodies of which only a part has arrived. */

/** Memory that a body takes besides its bytes. */
const OVERHEAD_BYTES = 1024;

/** A body that arrives in chunks. */
export interface UnfinishedBody {
  /** Adds a chunk. Returns false if the body is too long, or in too many chunks. */
  add(chunk: Buffer): boolean;
  text(): string;
  /** To be called when the body has ended or is no longer wanted. */
  release(): void;
}

/** Begins to take in a body, whose memory is counted by `unfinished`. */
export function beginBody(request: IncomingMessage, unfinished: UnfinishedBytes): UnfinishedBody {
  const bytes = createBodyBytes();
  const release = () => unfinished.hold(request, 0);
  request.once('close', release);
  return {
    add(chunk) {
      const before = bytes.capacity();
      if (!bytes.add(chunk)) return false;
      if (bytes.capacity() !== before) unfinished.hold(request, OVERHEAD_BYTES + bytes.capacity());
      return true;
    },
    text: bytes.text,
    release,
  };
}
