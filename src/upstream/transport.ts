import { Pool } from 'undici';
import type { Group } from '../meters.ts';
import { Aborted, MarketError } from './errors.ts';

/** What came back over the wire. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** An error where the body did not arrive in full: the status did, so it may have been paid. */
  body: string | MarketError;
}

export interface Transport {
  /**
   * One GET. Rejects with UPSTREAM_TIMEOUT or UPSTREAM_UNAVAILABLE where no status arrived, with
   * Aborted where that is because of `abort`.
   */
  get(path: string, headers: Record<string, string>): Promise<Reply>;
  /** Aborts all requests, those under way and those to come. */
  abort(): Promise<void>;
}

export interface TransportOptions {
  group: Group;
  baseUrl: string;
  timeoutMs: number;
}

/** Enough for bursts; a bound, so that a slow upstream is not buried under connections. */
const CONNECTIONS = 32;
/** Without it the upstream may compress, and undici would hand over compressed bytes. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A pool of connections to one group; `timeoutMs` covers a request from start to the end of its body. */
export function createTransport({ group, baseUrl, timeoutMs }: TransportOptions): Transport {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  let isAborted = false;
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    connect: { timeout: timeoutMs },
    keepAliveTimeout: 30_000,
    maxResponseSize: MAX_BODY_BYTES,
  });

  return {
    async get(path, headers) {
      const { signal, done } = deadline(timeoutMs);
      const failure = (error: unknown) => {
        if (isAborted) return new Aborted('UPSTREAM_UNAVAILABLE', { group });
        const isLate = signal.aborted || isTimeout(error);
        const code = isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE';
        return new MarketError(code, { group, reason: errorCode(error) });
      };
      try {
        const reply = await pool.request({
          method: 'GET',
          path: prefix + path,
          headers: { ...headers, ...UNCOMPRESSED },
          signal,
        });
        const body = await reply.body.text().catch(failure);
        return { status: reply.statusCode, headers: reply.headers, body };
      } catch (error) {
        throw failure(error);
      } finally {
        done();
      }
    },
    abort() {
      isAborted = true;
      return pool.destroy();
    },
  };
}

/** Unlike the timer of AbortSignal.timeout, this one is cleared once the request has ended. */
function deadline(ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}

function isTimeout(error: unknown): boolean {
  return errorCode(error)?.endsWith('TIMEOUT') ?? false;
}

/** The code of a system, TLS or undici error, e.g. ECONNREFUSED. Messages name hosts; codes do not. */
function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}
