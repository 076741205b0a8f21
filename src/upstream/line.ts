import type { Clock } from '../time.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { Dialect } from './dialect.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { createTransport, type Transport } from './transport.ts';

/** What has to be known of one group to talk to it. */
export interface Upstream {
  dialect: Dialect;
  /** The spec's {base_url} or {api_base_url}. */
  baseUrl: string;
  key: string;
  /** The per-second limit; undefined where it is not known and has to be learnt from refusals. */
  requestsPerSecond: number | undefined;
}

/** The way to one group: its connections, its pace and whether it is alive. */
export interface Line {
  dialect: Dialect;
  headers: Record<string, string>;
  transport: Transport;
  pacer: Pacer;
  breaker: Breaker;
}

export function openLine(upstream: Upstream, timeoutMs: number, now: Clock): Line {
  const { dialect, baseUrl, key, requestsPerSecond } = upstream;
  return {
    dialect,
    headers: dialect.headers(key),
    transport: createTransport({ group: dialect.group, baseUrl, timeoutMs }),
    pacer: createPacer({ perSecond: requestsPerSecond, now }),
    breaker: createBreaker(dialect.group),
  };
}
