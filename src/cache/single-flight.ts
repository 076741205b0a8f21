import { asError } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { concernsStarter, NotSent, RefreshRefused } from '../upstream/errors.ts';
import { noteJoined, noteNotJoined, type Operation } from '../usage/operation.ts';
import { isOverBudget } from './cached.ts';
import { createFailurePauses } from './failure-pauses.ts';

/**
 * Single flight: one request for the same thing at a time, shared by all operations that need it, and none
 * right after one has failed. Every cache sends its requests through here, each with an instance of its own.
 */

/** A request from when it is planned until it has been answered or has failed. */
export interface InFlight<W, T> {
  /** What it asks for; it may be widened until it is dispatched. */
  wanted: W;
  /** Whether it has been sent: from then on `wanted` is fixed. */
  isDispatched: boolean;
  readonly startedBy: Operation;
  /** The clients that wait for it. */
  readonly clients: Set<string>;
  readonly result: Promise<T>;
}

/** Fixes what a request asks for, at the last moment; `widen` may add to it, once. */
export type Dispatch<W> = (widen?: (wanted: W) => W) => W;

/** Sends a request in which `clients` are waiting: they may become more until it leaves. */
type Send<W, T> = (dispatch: Dispatch<W>, clients: ReadonlySet<string>) => Promise<T>;

/** The requests in flight, as one operation may see and join them. */
export interface InFlightRequests<W, T> {
  of(key: string): readonly InFlight<W, T>[];
  /**
   * Starts a request for `key`. `send` calls `dispatch` when the request leaves (LazyTarget). During the pause after a
   * failure of the same key or question nothing is sent: the request fails with the same error.
   */
  start(key: string, wanted: W, send: Send<W, T>): InFlight<W, T>;
}

type ByKey<W, T> = Map<string, readonly InFlight<W, T>[]>;

/**
 * For requests that carry more than one thing and may be widened. `monotonic` times the pauses; `nameOf` tells apart the
 * questions under one key, by the days or names that somebody waits for. A dry run sends nothing, so it never shares: it
 * sees only the requests that it has started itself. These end at once but stay listed, since a real one would still be
 * in flight when the operation's next one comes.
 */
export function createInFlight<W, T>(
  monotonic: Clock,
  nameOf: (wanted: W) => string = () => '',
): (operation: Operation) => InFlightRequests<W, T> {
  const shared: ByKey<W, T> = new Map();
  const ofDryRuns = new WeakMap<Operation, ByKey<W, T>>();
  const pauses = createFailurePauses(monotonic);

  return (operation) => {
    const isDry = operation.estimate !== undefined;
    const requests = isDry ? (ofDryRuns.get(operation) ?? new Map()) : shared;
    if (isDry) ofDryRuns.set(operation, requests);
    return {
      of: (key) => requests.get(key) ?? [],
      start(key, wanted, send) {
        const { promise, resolve, reject } = Promise.withResolvers<T>();
        const clients = new Set(operation.clients);
        const common = { startedBy: operation, clients, result: promise };
        const request: InFlight<W, T> = { wanted, isDispatched: false, ...common };
        requests.set(key, [...(requests.get(key) ?? []), request]);
        const questionOf = () => JSON.stringify([key, nameOf(request.wanted)]);
        pauses
          .guard(key, questionOf, () => send((widen) => dispatch(request, widen), clients))
          .finally(() => isDry || remove(requests, key, request))
          .then(resolve, reject);
        return request;
      },
    };
  };
}

/** Calls `send` for `key`, or waits for the request that is in flight already. */
type SingleFlight<T> = (
  key: string,
  operation: Operation,
  send: (clients: ReadonlySet<string>) => Promise<T>,
) => Promise<T>;

/** For requests that carry one thing each. */
export function createSingleFlight<T>(monotonic: Clock): SingleFlight<T> {
  const inFlight = createInFlight<null, T>(monotonic);
  return async function share(key, operation, send) {
    const requests = inFlight(operation);
    const request = requests.of(key)[0] ?? requests.start(key, null, (_, clients) => send(clients));
    noteJoined(operation, [request]);
    try {
      return await request.result;
    } catch (error) {
      // The key is the same, so what is cached of it is, too.
      if (!failedForOther(request, operation, error, true)) throw error;
      noteNotJoined(operation, [request]);
      return share(key, operation, send);
    }
  };
}

/**
 * Whether an operation that joined a request should ask again, because the failure concerns only the operation that
 * started it, e.g. its budget or its deadline. `isKnown`: whether all that the joining one needs is cached, however old.
 */
export function failedForOther(
  { startedBy }: InFlight<unknown, unknown>,
  operation: Operation,
  error: unknown,
  isKnown: boolean,
): boolean {
  if (startedBy === operation) return false;
  if (error instanceof RefreshRefused) return !isKnown;
  if (wouldFailAlike(error, startedBy, operation)) return false;
  return isOverBudget(error) || concernsStarter(error);
}

/** Whether the joining operation's key was revoked, too, or its client has the same budget. */
function wouldFailAlike(error: unknown, startedBy: Operation, { spender }: Operation): boolean {
  if (!(error instanceof NotSent)) return false;
  if (error.code === 'UNAUTHENTICATED') return spender.isRevoked === true;
  const isSameClient = startedBy.spender.payer?.name === spender.payer?.name;
  return error.code === 'CLIENT_BUDGET_EXCEEDED' && isSameClient;
}

/** Waits for all of the requests; returns what they brought, and the first that failed. */
export async function settle<W, T>(requests: readonly InFlight<W, T>[]) {
  const results = await Promise.allSettled(requests.map(({ result }) => result));
  const brought = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const first = results.findIndex(({ status }) => status === 'rejected');
  const [request, result] = [requests[first], results[first]];
  if (!request || result?.status !== 'rejected') return { brought, failed: undefined };
  return { brought, failed: { request, error: asError(result.reason) } };
}

/**
 * The last request of an operation that may start no more: it has started as many as it may send, and as many again,
 * which wait in case some of the others are not sent (upstream/payment.ts). A further one would end as that one does.
 * Undefined if it may start more.
 */
export function lastAllowed<W, T>(
  requests: readonly InFlight<W, T>[],
  operation: Operation,
): InFlight<W, T> | undefined {
  const own = requests.filter(({ startedBy }) => startedBy === operation);
  return own.length >= Math.max(1, 2 * operation.maxRequests) ? own.at(-1) : undefined;
}

/**
 * Lets one request that has not been sent yet ask for more. `add` returns what it then asks for, or undefined if
 * nothing can be added. Returns the request, if there is one.
 */
export function addToWaiting<W, T>(
  requests: readonly InFlight<W, T>[],
  add: (wanted: W) => W | undefined,
): InFlight<W, T> | undefined {
  for (const request of requests) {
    const wanted = request.isDispatched ? undefined : add(request.wanted);
    if (wanted === undefined) continue;
    request.wanted = wanted;
    return request;
  }
  return undefined;
}

function dispatch<W>(request: InFlight<W, unknown>, widen?: (wanted: W) => W): W {
  if (!request.isDispatched && widen) request.wanted = widen(request.wanted);
  request.isDispatched = true;
  return request.wanted;
}

function remove<W, T>(requests: ByKey<W, T>, key: string, request: InFlight<W, T>): void {
  const others = (requests.get(key) ?? []).filter((other) => other !== request);
  if (others.length > 0) requests.set(key, others);
  else requests.delete(key);
}
