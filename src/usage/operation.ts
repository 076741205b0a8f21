import { type Meter, perMeter } from '../meters.ts';
import type { Tasks } from '../shared/tasks.ts';
import { type Aging, expiryFor, type Lifetime } from '../spending/lifetimes.ts';
import type { Priority } from '../spending/priority.ts';
import type { Trace } from '../trace.ts';
import type { Estimate } from './estimate.ts';
import type { Payer } from './units.ts';

/** The record of one operation: every layer writes to it, nothing is counted twice. */

/** Something about the data that the client should know although it was served. */
export interface Warning {
  message: string;
  /** Which upstream answer it is about, e.g. `crypto`. */
  dataset: string;
  /** How many records it concerns. */
  count: number;
}

/** What a cached value tells about itself when an operation uses it; its lifetime is by the clock of `aging`. */
export interface Used extends Lifetime {
  /** Which upstream answers it is made of, e.g. `crypto`. */
  dataset: string;
  /** When it was retrieved, in milliseconds since 1970. */
  origin: { readonly retrievedAt: number };
  aging: Aging;
  stale: boolean;
  warnings: readonly Warning[];
  /** Whether the cache would still give the same: nothing newer has come, nothing was evicted. */
  isCurrent(): boolean;
}

/** One question that was answered, for statistics. */
export interface Served {
  dataset: string;
  /** When the answer came from the upstream, in milliseconds since 1970. */
  retrievedAt: number;
  /** Whether it was in the cache already. */
  isHit: boolean;
  isStale: boolean;
}

export interface Operation {
  /** Units spent by this operation's own requests. */
  readonly used: Record<Meter, number>;
  /** Metered requests sent upstream, retries included. */
  requests: number;
  /** Health checks sent upstream: they cost nothing. */
  healthChecks: number;
  /** Questions answered from the cache. */
  cacheHits: number;
  /** Questions that waited for a request which another operation had started. */
  coalesced: number;
  /** Questions answered with data past its time to live. */
  stale: number;
  /** Requests that brought no answer. */
  failed: number;
  /** The earliest moment (monotonic) at which anything it used stops being fresh. */
  freshUntil: number;
  readonly warnings: Set<Warning>;
  /** For each cached value that it used: whether the cache would still give the same. May contain `alwaysAgain`. */
  readonly parts: Set<() => boolean>;
  /** Each question that was answered. */
  served: Served[];
  /** Tasks it has started that have not ended: a field may fail while a request is in flight. */
  readonly underWay: Tasks;
  /** Maximum number of metered requests; those beyond fail with UPSTREAM_BUDGET_EXCEEDED. */
  readonly maxRequests: number;
  /** Maximum number of units; fields that would need more fail with UPSTREAM_BUDGET_EXCEEDED, too. */
  readonly maxUnits: number;
  /** Units it has spent, plus the expected cost of its pending requests and of those in flight. */
  units: number;
  /** Those of them that perhaps no account counts yet: of pending requests. */
  readonly unbooked: Record<Meter, number>;
  /** Requests that wait for their turn. Some are not sent: another process is asking for the same. */
  pending: number;
  /** Further requests, to be sent only if some of those are not; they wait until none is pending. */
  heldBack?: { requests: number; readonly end: PromiseWithResolvers<void> } | undefined;
  /** Who pays for its units, and what they are counted for. */
  readonly spender: Spender;
  /** Until when its requests may wait for a permit of the rate limiter, in monotonic milliseconds. */
  readonly deadline: number;
  /** Who asked (a client's name, or an address), served in turn; empty for a background poll, which comes last. */
  readonly clients: ReadonlySet<string>;
  /** Whether nobody waits for it any more: a poll whose subscribers have left. It sends nothing more. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Present in a dry run, which sends nothing. */
  readonly estimate?: Estimate | undefined;
  /** Undefined if it is not recorded. */
  readonly trace?: Trace | undefined;
}

/** Who pays for an operation's requests, and what they are counted for. */
export interface Spender {
  /** Undefined if clients have no names. */
  readonly payer?: Payer | undefined;
  /** Whether the payer's key was revoked since the operation began: then nothing more is spent. */
  readonly isRevoked?: boolean;
  readonly priority: Priority;
  /** Maximum number of units that one of its operations may spend; undefined: no limit. */
  readonly maxUnits?: number | undefined;
  /** The operation's name, or the beginning of the hash of its text. */
  name(): string;
}

const UNNAMED: Spender = { priority: 'NORMAL', name: () => '' };

interface OperationOptions extends Pick<
  Operation,
  'maxRequests' | 'deadline' | 'isAbandoned' | 'estimate' | 'trace'
> {
  /** As in `clients`; undefined for a background poll. */
  party?: string | undefined;
  spender?: Spender | undefined;
}

const NO_UNITS = perMeter(() => 0);

export function startOperation({
  party,
  maxRequests,
  spender = UNNAMED,
  deadline,
  estimate,
  trace,
  isAbandoned,
}: OperationOptions): Operation {
  return {
    used: { ...NO_UNITS },
    maxRequests,
    maxUnits: spender.maxUnits ?? Infinity,
    units: 0,
    unbooked: { ...NO_UNITS },
    pending: 0,
    heldBack: undefined,
    spender,
    deadline,
    estimate,
    trace,
    requests: 0,
    healthChecks: 0,
    cacheHits: 0,
    coalesced: 0,
    stale: 0,
    failed: 0,
    freshUntil: Infinity,
    warnings: new Set(),
    parts: new Set(),
    served: [],
    underWay: new Set(),
    clients: new Set(party === undefined ? [] : [party]),
    isAbandoned,
  };
}

/** Notes until when (monotonic) the operation's answer holds at the latest; -Infinity: for this moment only. */
export function noteFreshUntil(operation: Operation, instant: number): void {
  if (instant < operation.freshUntil) operation.freshUntil = instant;
}

/** A request in flight: the operation that has started it, and the clients that wait for it. */
interface Joinable {
  readonly startedBy: Operation;
  readonly clients: Set<string>;
}

/**
 * Counts a question as coalesced if another operation has started one of the requests it waits for. That request then
 * belongs to the joining client, too: it comes up whenever either of them has its turn.
 */
export function noteJoined(operation: Operation, requests: readonly Joinable[]): void {
  const others = requests.filter(({ startedBy }) => startedBy !== operation);
  if (others.length > 0) operation.coalesced += 1;
  for (const { startedBy, clients } of others) {
    for (const client of operation.clients) clients.add(client);
    if (startedBy.trace) operation.trace?.join(startedBy.trace);
  }
}

/** Takes back the count of a question that is asked again, because what it waited for was of no use to it. */
export function noteNotJoined(operation: Operation, requests: readonly Joinable[]): void {
  if (requests.some(({ startedBy }) => startedBy !== operation)) operation.coalesced -= 1;
}

/** Notes that a cached value went into the operation's answer. `isHit`: whether it was in the cache already. */
export function noteUse(operation: Operation, part: Used, isHit: boolean): void {
  const { aging, dataset, origin, stale: isStale } = part;
  const served = { dataset, retrievedAt: origin.retrievedAt, isHit, isStale };
  // Most operations use one value: a literal takes less memory than an array grown by push, which reserves 16 more.
  if (operation.served.length === 0) operation.served = [served];
  else operation.served.push(served);
  noteFreshUntil(operation, aging.monotonicAt(expiryFor(part, operation.spender.priority, aging)));
  if (isStale) operation.stale += 1;
  operation.parts.add(part.isCurrent);
  for (const warning of part.warnings) operation.warnings.add(warning);
}
