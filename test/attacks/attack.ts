import type { UpstreamOptions } from './upstream.ts';

/** What an attack is, and what it runs against. */

export interface Attack {
  /** The number of the weakness that it belongs to, and what it does. */
  name: string;
  /** Variables of the gateway, besides those that lead to the upstream. */
  env?: Record<string, string>;
  upstream?: UpstreamOptions;
  /** Whether it sends a single operation, so that the bound on processor time holds for it. */
  isOneOperation?: boolean;
  /** Carries out the attack, and throws if the answers are not what they must be. Ends when `signal` is aborted. */
  run(target: Target): Promise<void>;
}

export interface Target {
  /** Address of the gateway, without the port. */
  host: string;
  port: number;
  /** Aborted when the gateway has died, or was ended since it took too much memory or time. */
  signal: AbortSignal;
  /** Requests that reached the upstream, by path. */
  requests(): Promise<Record<string, number>>;
  /** Tickers that the upstream has, but not among its first 500. */
  rareTickers(): Promise<string[]>;
  /** What the gateway has written to stderr. */
  stderr(): string;
}

/** Attackers and their victims have different addresses, so that the gateway can tell them apart. */
export const ATTACKER = '127.0.0.2';
