import type { UpstreamOptions } from './upstream.ts';

/** What an attack is, and what it runs against. */

export interface Attack {
  /** The point of the list of weaknesses that it belongs to, and what it does. */
  name: string;
  /** Variables of the gateway, beside those that lead to the upstream. */
  env?: Record<string, string>;
  upstream?: UpstreamOptions;
  /** It sends a single operation: the bound on processor time holds for it. */
  isOneOperation?: boolean;
  /** Sends what it sends, and throws where what comes back is not what must. Ends when `signal` is aborted. */
  run(target: Target): Promise<void>;
}

export interface Target {
  /** Of the gateway, with the port and without a path. */
  host: string;
  port: number;
  /** Aborted when the attack has taken too much memory or time: the gateway is gone then. */
  signal: AbortSignal;
  /** Requests that reached the upstream, by path. */
  requests(): Promise<Record<string, number>>;
  /** Tickers that the upstream has, and not among the first 500. */
  rareTickers(): Promise<string[]>;
  /** What the gateway has written to stderr. */
  stderr(): string;
}

/** Attackers and their victims have different addresses, so that the gateway can tell them apart. */
export const ATTACKER = '127.0.0.2';
