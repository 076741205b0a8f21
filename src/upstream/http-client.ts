import { type Dispatcher, Pool } from 'undici';
import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import { decodedText } from './content-coding.ts';
import { Aborted, IncompleteBody, MarketError, TooLong, Unanswered } from './errors.ts';
import { codeOf, reasonOf } from './failure-reason.ts';
import type { Arrival } from './line-speed.ts';
import { createSharedLookup } from './shared-lookup.ts';

/** What came back over the wire. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** An error if the body did not arrive in full: the status did, so the request may have been charged. */
  body: string | MarketError;
  /** How the body arrived, or the part of it that did. */
  arrival: Arrival;
}

interface HttpClient {
  /**
   * Sends one GET; calls `onStart` when it is written to its connection. Rejects with UPSTREAM_TIMEOUT or
   * UPSTREAM_UNAVAILABLE if no status arrived: as Unanswered if the request had been sent, as Aborted after
   * `abort`.
   */
  get(path: string, headers: Record<string, string>, onStart?: () => void): Promise<Reply>;
  /** Aborts all requests, those in flight and those to come. */
  abort(): Promise<void>;
}

interface HttpClientOptions {
  group: Group;
  baseUrl: string;
  timeoutMs: number;
  monotonic: Clock;
}

/** Maximum number of metered requests in flight: enough for bursts, without burying a slow upstream in connections. */
export const MAX_IN_FLIGHT = 32;
/** Connections for requests that are not metered (`/health`), and for use while a broken connection is replaced. */
const SPARE_CONNECTIONS = 8;
/**
 * Asks for uncompressed answers, since line.ts learns from their bytes how large records are. An answer that is
 * compressed all the same is read.
 */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };
/** Firewalls commonly refuse requests that name no client. */
const CLIENT = { 'user-agent': 'marketgraph' };
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** A body of which that many bytes have arrived is not held up by a server that hesitates: the line is too slow for it. */
const LONG_BYTES = 65_536;
/** Intermediaries may add many headers, and the answer is paid for. */
const MAX_HEAD_BYTES = 64 * 1024;

/** A pool of connections to one group; `timeoutMs` covers a request from start to the end of its body. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { group, baseUrl, timeoutMs, monotonic } = options;
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  let isAborted = false;
  const pool = new Pool(origin, {
    connections: MAX_IN_FLIGHT + SPARE_CONNECTIONS,
    connect: { timeout: timeoutMs, lookup: createSharedLookup() },
    keepAliveTimeout: 30_000,
    // With HTTP/2 a time-out would leave a connection in use that has fallen silent, and connections would begin in turn.
    allowH2: false,
    maxResponseSize: MAX_BODY_BYTES,
    maxHeaderSize: MAX_HEAD_BYTES,
  });

  return {
    async get(path, headers, onStart) {
      const { signal, done } = startTimeout(timeoutMs);
      const progress = createProgress(monotonic, signal, onStart);
      const failure = (error: unknown, Failure: typeof MarketError) => {
        if (isAborted) return new Aborted('UPSTREAM_UNAVAILABLE', { group });
        const reason = reasonOf(error);
        return new Failure(codeOf(reason, signal.aborted), { group, reason });
      };
      try {
        const reply = await pool.compose(watchedBy(progress.watch)).request({
          method: 'GET',
          path: prefix + path,
          headers: { ...headers, ...CLIENT, ...UNCOMPRESSED },
          signal,
        });
        progress.noteReply();
        const body = await textOf(reply).catch((error: unknown) =>
          failure(error, progress.failureOfBody(timeoutMs)),
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

/** Tracks how far a request has come, from when it is written to its connection. */
function createProgress(monotonic: Clock, signal: AbortSignal, onStart?: () => void) {
  const at = { start: monotonic(), status: 0, data: 0 };
  let bytes = 0;
  /** By `performance.now()`, which the timeout is measured by, too. */
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
    /** Whether the request was written and no reply has arrived yet. */
    awaitsStatus: () => awaitsStatus,
    noteReply: () => (awaitsStatus = false),
    /** What it means that the body did not arrive in full. */
    failureOfBody(timeoutMs: number): typeof MarketError {
      if (!signal.aborted) return IncompleteBody;
      if (performance.now() - lastDataAt > timeoutMs / 2) return MarketError;
      return bytes < LONG_BYTES ? IncompleteBody : TooLong;
    },
    /** How a body arrived: a whole one until its last byte, otherwise until now. */
    arrival(isWhole: boolean): Arrival {
      const until = isWhole ? at.data : monotonic();
      return { bytes, firstByteMs: at.status - at.start, bodyMs: until - at.status };
    },
  };
}

interface Watch {
  /** Called when there is a connection and the request is about to be written to it. */
  onStart(): void;
  onStatus(): void;
  onData(chunk: Buffer): void;
}

/**
 * Watches a request as close to its connection as possible: the promise of a body resolves only when the process has
 * nothing else to do, and that delay would be blamed on the line.
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

/** If a timer fires this late (ms), the process was at a standstill: what has arrived meanwhile is read first. */
const STANDSTILL_MS = 500;

/** Unlike the timer of AbortSignal.timeout, this one is cleared once the request has ended. */
function startTimeout(ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const dueAt = performance.now() + ms;
  const onTimer = () => {
    if (performance.now() - dueAt < STANDSTILL_MS) abort();
    else timer = setTimeout(abort, STANDSTILL_MS);
  };
  let timer = setTimeout(onTimer, ms);
  return { signal: controller.signal, done: () => clearTimeout(timer) };
}
