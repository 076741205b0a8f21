import type { Reply } from '../reply.ts';

/** A client of one subscription or query. */
export interface Subscriber {
  /** Everything received, each checked to be a whole answer with its usage. */
  events: Reply[];
  /** Settled when the server or the client has ended it. */
  ended: Promise<unknown>;
  leave(): void;
}
