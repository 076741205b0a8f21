import type { News } from '../shared/news.ts';
import type { Permits } from '../shared/permits.ts';
import type { LineSpeeds } from './line-notes.ts';

/** Where one group is reached. */
export interface Upstream {
  /** The spec's {base_url} or {api_base_url}. */
  baseUrl: string;
  key: string;
  /** The per-second limit; undefined where it is not known and has to be learnt from refusals. */
  requestsPerSecond: number | undefined;
  /** Where replicas keep that limit together. */
  permits?: Permits | undefined;
  /** Other processes that reach it over the same line: what they tell each other of outages. */
  siblings?: News | undefined;
  /** Where processes tell each other how fast the line to it is. */
  lineSpeeds?: LineSpeeds | undefined;
}

/** How a group stands. */
export interface UpstreamState {
  /** Whether the circuit breaker lets requests through. */
  isUp: boolean;
  /** Requests that wait for a permit of the rate limiter. */
  waiting: number;
  /** Requests a second that may be sent, as far as is known; Infinity: no limit is. */
  perSecond: number;
}
