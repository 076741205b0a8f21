import { type Dispatcher, Pool } from 'undici';
import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import { decodedText } from './content-coding.ts';
import { Aborted, MarketError, NotSent, Unanswered } from './errors.ts';
import { codeOf, reasonOf } from './failure-reason.ts';
import type { Arrival } from './line-speed.ts';
import { createProgress, watchedBy } from './progress.ts';
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
   * UPSTREAM_UNAVAILABLE if no status arrived: as Unanswered if the request had been sent. After `abort`, as
   * Aborted if it had been sent, else as NotSent.
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
      const failure = (error: unknown, Failure: typeof MarketError, share?: number) => {
        if (isAborted) return new Aborted('UPSTREAM_UNAVAILABLE', { group });
        const reason = reasonOf(error);
        return new Failure(codeOf(reason, signal.aborted), { group, reason, share });
      };
      try {
        const watched = pool.compose(watchedBy(progress.watch));
        const all = { ...headers, ...CLIENT, ...UNCOMPRESSED };
        const sent = { method: 'GET', path: prefix + path, headers: all, signal } as const;
        const reply = await watched.request(sent);
        progress.noteReply();
        const body = await textOf(reply).catch((error: unknown) => {
          const share = progress.share(reply.headers['content-length'], timeoutMs);
          return failure(error, progress.failureOfBody(timeoutMs), share);
        });
        const arrival = progress.arrival(typeof body === 'string');
        return { status: reply.statusCode, headers: reply.headers, body, arrival };
      } catch (error) {
        if (progress.awaitsStatus()) throw failure(error, Unanswered);
        // It was still connecting: the upstream cannot have charged it.
        if (isAborted) throw new NotSent('UPSTREAM_UNAVAILABLE', { group });
        throw failure(error, MarketError);
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
