import type { Dispatcher } from 'undici';
import type { Clock } from '../time.ts';
import { IncompleteBody, MarketError, TooLong } from './errors.ts';
import type { Arrival } from './line-speed.ts';

/** How far a request has come. */

/** A body of which that many bytes have arrived is not held up by a server that hesitates: the line is too slow for it. */
const LONG_BYTES = 65_536;

/** Tracks how far a request has come, from when it is written to its connection. */
export function createProgress(monotonic: Clock, signal: AbortSignal, onStart?: () => void) {
  const at = { start: monotonic(), status: 0, data: 0 };
  let bytes = 0;
  /** By `performance.now()`, which the timeout is measured by, too. */
  const timerAt = { status: 0, data: 0 };
  let awaitsStatus = false;
  const watch: Watch = {
    onStart() {
      awaitsStatus = !signal.aborted;
      at.start = monotonic();
      onStart?.();
    },
    onStatus() {
      at.status = at.data = monotonic();
      timerAt.status = performance.now();
    },
    onData(chunk) {
      bytes += chunk.length;
      at.data = monotonic();
      timerAt.data = performance.now();
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
      if (performance.now() - timerAt.data > timeoutMs / 2) return MarketError;
      return bytes < LONG_BYTES ? IncompleteBody : TooLong;
    },
    /**
     * How much of a body would arrive in `timeoutMs` if its status came at once, judging by what has arrived until now: 1
     * or more if all of it would. `contentLength`: the header; undefined if it tells nothing.
     */
    share(contentLength: string | string[] | undefined, timeoutMs: number): number | undefined {
      const length = Number(contentLength);
      const perMs = bytes / (performance.now() - timerAt.status);
      return length > 0 ? (perMs * timeoutMs) / length : undefined;
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
export function watchedBy(watch: Watch): Dispatcher.DispatcherComposeInterceptor {
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
