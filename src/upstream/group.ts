import type { News } from '../shared/news.ts';
import type { Permits } from '../shared/permits.ts';
import type { LineSpeeds } from './line-notes.ts';

/** Where and how one group is reached. */
export interface GroupAccess {
  /** GROUP_A_URL, or GROUP_B_URL, which ends in `/v1` (spec section 1). */
  baseUrl: string;
  key: string;
  /** The per-second limit; undefined if it is not known and has to be learned from refusals. */
  requestsPerSecond: number | undefined;
  /** The permits of all replicas, if they keep that limit together. */
  permits?: Permits | undefined;
  /** How processes that reach it over the same line tell each other of outages. */
  siblings?: News | undefined;
  /** How processes tell each other how fast the line to it is. */
  lineSpeeds?: LineSpeeds | undefined;
}

/** The current state of a group. */
export interface GroupState {
  /** Whether the circuit breaker lets requests through. */
  isUp: boolean;
  /** Requests that wait for a permit of the rate limiter. */
  waiting: number;
  /** Requests per second that may be sent, as far as is known; Infinity: no limit is known. */
  perSecond: number;
}
