import type { Reply } from '../reply.ts';

/** Somebody who listens. */
export interface Subscriber {
  /** All that came, each checked to be a whole answer with its account. */
  events: Reply[];
  /** When the server or the client has ended it. */
  ended: Promise<unknown>;
  leave(): void;
}
