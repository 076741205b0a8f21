import { type Dispatcher, Pool } from 'undici';
import { errorCode } from '../maybe.ts';
import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import { decodedText } from './content-coding.ts';
import { Aborted, BrokenOff, type FailureCode, MarketError, Unanswered } from './errors.ts';
import type { Arrival } from './line.ts';

/** What came back over the wire. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** An error where the body did not arrive in full: the status did, so it may have been paid. */
  body: string | MarketError;
  /** When the body came, or what came of it. */
  arrival: Arrival;
}

interface Transport {
  /**
   * One GET; calls `onStart` when it is written to its connection. Rejects with UPSTREAM_TIMEOUT or
   * UPSTREAM_UNAVAILABLE where no status arrived: with Unanswered where the request had been sent, with Aborted
   * after `abort`.
   */
  get(path: string, headers: Record<string, string>, onStart?: () => void): Promise<Reply>;
  /** Aborts all requests, those under way and those to come. */
  abort(): Promise<void>;
}

interface TransportOptions {
  group: Group;
  baseUrl: string;
  timeoutMs: number;
  monotonic: Clock;
}

/** Metered requests at a time: enough for bursts; a bound, so that a slow upstream is not buried under connections. */
export const MAX_UNDER_WAY = 32;
/** For requests that are not metered (`/health`), and while a connection that was broken off is replaced. */
const SPARE_CONNECTIONS = 8;
/** So that the bytes of an answer are those of its records, which line.ts learns from. What comes compressed all the same is read. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A pool of connections to one group; `timeoutMs` covers a request from start to the end of its body. */
export function createTransport(options: TransportOptions): Transport {
  const { group, baseUrl, timeoutMs, monotonic } = options;
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  let isAborted = false;
  const pool = new Pool(origin, {
    connections: MAX_UNDER_WAY + SPARE_CONNECTIONS,
    connect: { timeout: timeoutMs },
    keepAliveTimeout: 30_000,
    maxResponseSize: MAX_BODY_BYTES,
  });

  return {
    async get(path, headers, onStart) {
      const { signal, done } = deadline(timeoutMs);
      const progress = createProgress(monotonic, signal, onStart);
      const failure = (error: unknown, Failure: typeof MarketError) => {
        if (isAborted) return new Aborted('UPSTREAM_UNAVAILABLE', { group });
        const reason = upperCaseCode(error);
        return new Failure(codeOf(reason, signal.aborted), { group, reason });
      };
      try {
        const reply = await pool.compose(watchedBy(progress.watch)).request({
          method: 'GET',
          path: prefix + path,
          headers: { ...headers, ...UNCOMPRESSED },
          signal,
        });
        progress.noteReply();
        const body = await textOf(reply).catch((error: unknown) =>
          failure(
            error,
            signal.aborted && progress.hasStalled(timeoutMs) ? MarketError : BrokenOff,
          ),
        );
        const arrival = progress.arrival(typeof body === 'string');
        return { status: reply.statusCode, headers: reply.headers, body, arrival };
      } catch (error) {
        throw failure(error, progress.awaitsStatus() ? Unanswered : MarketError);
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

/** How far a request has come: it is watched from when it is written. */
function createProgress(monotonic: Clock, signal: AbortSignal, onStart?: () => void) {
  const at = { start: monotonic(), status: 0, data: 0 };
  let bytes = 0;
  /** By the clock that the time-out goes by. */
  let lastDataAt = 0;
  let awaitsStatus = false;
  const watch: Watch = {
    onStart() {
      awaitsStatus = !signal.aborted;
      at.start = monotonic();
      onStart?.();
    },
    onStatus: () => (at.status = at.data = monotonic()),
    onData(chunk) {
      bytes += chunk.length;
      at.data = monotonic();
      lastDataAt = performance.now();
    },
  };
  return {
    watch,
    /** From when the request is written until a reply comes. */
    awaitsStatus: () => awaitsStatus,
    noteReply: () => (awaitsStatus = false),
    /** Whether nothing came for half of the time-out. */
    hasStalled: (timeoutMs: number) => performance.now() - lastDataAt > timeoutMs / 2,
    /** Of a body that is whole, until its last byte; else until now. */
    arrival(isWhole: boolean): Arrival {
      const until = isWhole ? at.data : monotonic();
      return { bytes, firstByteMs: at.status - at.start, bodyMs: until - at.status };
    },
  };
}

interface Watch {
  /** A connection is there, and the request is about to be written to it. */
  onStart(): void;
  onStatus(): void;
  onData(chunk: Buffer): void;
}

/**
 * Watches a request as near to its connection as it can be done: who waits for the promise of a body is told of it
 * only when the process has nothing else to do, and would take that for the line's doing.
 */
function watchedBy(watch: Watch): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(...given) {
        watch.onStart();
        handler.onRequestStart?.(...given);
      },
      onResponseStart(...given) {
        watch.onStatus();
        handler.onResponseStart?.(...given);
      },
      onResponseData(controller, chunk) {
        watch.onData(chunk);
        handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });
}

async function textOf({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  const codings = String(headers['content-encoding'] ?? '');
  const type = String(headers['content-type'] ?? '');
  const charset = /;\s*charset="?([\w-]+)/i.exec(type)?.[1];
  return decodedText(await body.bytes(), { codings, charset }, MAX_BODY_BYTES);
}

/** Where a timer goes off so late, the process has stood still: what has come meanwhile is read first. */
const LATE_MS = 500;

/** Unlike the timer of AbortSignal.timeout, this one is cleared once the request has ended. */
function deadline(ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const dueAt = performance.now() + ms;
  const onTimer = () => {
    if (performance.now() - dueAt < LATE_MS) abort();
    else timer = setTimeout(abort, LATE_MS);
  };
  let timer = setTimeout(onTimer, ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}

/** What is too large will be so again: it is not asked for a second time. */
function codeOf(reason: string | undefined, isAborted: boolean): FailureCode {
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'UPSTREAM_BAD_RESPONSE';
  return isAborted || reason?.endsWith('TIMEOUT') ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE';
}

/** The code of a system, TLS or undici error, e.g. ECONNREFUSED. Messages name hosts; codes do not. */
function upperCaseCode(error: unknown): string | undefined {
  const code = errorCode(error) ?? '';
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}
