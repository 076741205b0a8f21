import { Pool } from 'undici';
import { BrokenOff, type Group, MarketError } from './errors.ts';

/** What came back over the wire. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The error where the body broke off: the status arrived, so it may have been paid. */
  body: string | MarketError;
}

export interface Transport {
  /**
   * One GET. Rejects with UPSTREAM_TIMEOUT or UPSTREAM_UNAVAILABLE where no status arrived, with
   * BrokenOff where that is because of `close`.
   */
  get(path: string, headers: Record<string, string>): Promise<Reply>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

export interface TransportOptions {
  group: Group;
  baseUrl: string;
  timeoutMs: number;
}

/** Enough for bursts; a bound, so that a slow upstream is not buried under connections. */
const CONNECTIONS = 32;
/** Without it an upstream may compress as it likes. */
const PLAIN = { 'accept-encoding': 'identity' };
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A pool of connections to one group, with one deadline for the whole of each exchange. */
export function createTransport({ group, baseUrl, timeoutMs }: TransportOptions): Transport {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  let isClosed = false;
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
        if (isClosed) return new BrokenOff('UPSTREAM_UNAVAILABLE', { group });
        const isLate = signal.aborted || isTimeout(error);
        return new MarketError(isLate ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE', { group });
      };
      try {
        const reply = await pool.request({
          method: 'GET',
          path: prefix + path,
          headers: { ...headers, ...PLAIN },
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
    close() {
      isClosed = true;
      return pool.destroy();
    },
  };
}

/** Unlike AbortSignal.timeout it leaves nothing behind that fires when all is long over. */
function deadline(ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}

function isTimeout(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.endsWith('TIMEOUT');
}
