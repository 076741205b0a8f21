import type { Group, Meter } from '../meters.ts';
import type { Trace } from '../trace.ts';
import { Abandoned, type FailureCode, MarketError } from './errors.ts';

/** How one request ended, for logs and metrics. */
export interface RequestEnd {
  /** The endpoint's name, e.g. `fx history`. */
  dataset: string;
  group: Group;
  /** The path as the endpoint describes it, e.g. `/v1/fx/rates/{pair}/history`. */
  route: string;
  /** Undefined for the health check, which costs nothing. */
  meter: Meter | undefined;
  isRetry: boolean;
  /** The client that pays; '' if clients have no names. */
  client: string;
  /** The trace of the operation that it was sent for. */
  trace: Trace | undefined;
  /**
   * False if it was refused before it was sent, by a limit, the ledger or the circuit breaker. Or if another process has
   * sent it meanwhile, or nobody waits for it any more: then the result is `ok`.
   */
  wasSent: boolean;
  result: 'ok' | FailureCode | 'INTERNAL';
  /** The units that the request counts as. */
  units: number;
  /** The cost that the answer stated, if it is too high to be believed: it then counts as one unit. */
  implausibleUnits: number | undefined;
  /** Bytes of the reply's body as they arrived: compressed ones, if the upstream compresses. */
  bytes: number;
  /** The status of the reply; undefined if none arrived. */
  status: number | undefined;
  /** When it was sent, by the clock of `performance.now()`; 0 if it was not. */
  sentAt: number;
  /** From sending to the end of the body, without the wait for a permit; 0 if it was not sent. */
  durationMs: number;
  /** Why the connection failed, e.g. ECONNREFUSED. Not for clients. */
  cause: string | undefined;
}

type Known = Omit<RequestEnd, 'result' | keyof typeof UNSENT>;

const UNSENT = {
  wasSent: false,
  units: 0,
  implausibleUnits: undefined,
  bytes: 0,
  status: undefined,
  sentAt: 0,
  durationMs: 0,
  cause: undefined,
};

/** Runs `task`, which sends one request and fills in what it finds out, and reports once how it ended. */
export async function reportEnd<T>(
  known: Known,
  onRequestEnd: (end: RequestEnd) => void,
  task: (end: RequestEnd) => Promise<T>,
): Promise<T> {
  const end: RequestEnd = { ...known, result: 'ok', ...UNSENT };
  try {
    return await task(end);
  } catch (error) {
    if (error instanceof Abandoned) throw error;
    end.result = error instanceof MarketError ? error.code : 'INTERNAL';
    if (error instanceof MarketError) end.cause = error.reason;
    throw error;
  } finally {
    onRequestEnd(end);
  }
}
