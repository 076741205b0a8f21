import type { Maybe } from '../maybe.ts';
import type { Operation } from '../usage/operation.ts';
import type { Endpoint, Target } from './endpoint.ts';
import type { MarketError } from './errors.ts';

/** One request to the upstream, as it is asked for. */
export interface Request<Raw> {
  endpoint: Endpoint<Raw>;
  /**
   * Read when the request leaves, never at once, so that it may grow while it waits. Undefined: it is
   * needed no more, and is not sent.
   */
  target: (timedOut?: MarketError) => Maybe<Target | undefined>;
  operation: Operation;
  isRetry: boolean;
  /** How it ended before, where it was sent and did not come in time. */
  timedOut?: MarketError | undefined;
}
