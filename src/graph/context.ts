import { createContextCache } from '@pothos/core';
import type { ResourceLimits, Resources } from './resources.ts';
import type { Store } from '../cache/store.ts';
import type { GraphQLError } from 'graphql';
import type { Config } from '../config.ts';
import type { Meter } from '../meters.ts';
import type { Governor } from '../spending/governor.ts';
import type { Shared } from '../shared/shared.ts';
import { track } from '../shared/tasks.ts';
import type { Maybe } from '../maybe.ts';
import { type Clock, type Day, dayAt, startOf } from '../time.ts';
import type { BeginTrace } from '../trace.ts';
import type { UpstreamClient } from '../upstream/client.ts';
import type { Ledger } from '../usage/units.ts';
import { noteFreshUntil, type Operation } from '../usage/operation.ts';

/** What all operations share. */
export interface Gateway {
  client: UpstreamClient;
  ledger: Ledger;
  store: Store;
  /** What is shared with other processes and with later ones; undefined if nothing is. */
  shared: Shared | undefined;
  /** Wall time: determines days and months, and how old data is. */
  now: Clock;
  /** Times all waiting: milliseconds since an arbitrary moment, never set back. */
  monotonic: Clock;
  /** What makes the allowance of each meter last, and the clock on which the data that it paid for ages. */
  governors: Record<Meter, Governor>;
  /** Undefined if no traces are recorded. */
  beginTrace?: BeginTrace | undefined;
  /** Units spent by the polls of live updates, which belong to no client's operation. */
  background: Record<Meter, number>;
  settings: Pick<
    Config,
    | keyof ResourceLimits
    | 'ttl'
    | 'timezone'
    | 'cacheMaxBytes'
    | 'widenMaxBytes'
    | 'upstreamMaxUrlBytes'
    | 'upstreamTimeoutMs'
    | 'operationTimeoutMs'
    | 'maxRequestsPerOperation'
    | 'maxSubscriptions'
  >;
}

/** Calls `end` once the client's key is revoked; returns a function that cancels this. */
export type WhenRevoked = (end: (why: GraphQLError) => void) => () => void;

/** What the resolvers of one operation share. `dataset.ts` makes the loaders of each operation. */
export interface Context {
  gateway: Gateway;
  operation: Operation;
  /** What it may use of the process; UNLIMITED for polls, which no client asked for. */
  resources: Resources;
  /** Undefined if clients need no key. */
  whenRevoked?: WhenRevoked | undefined;
  /** What perOperation has made for this operation, by the function that made it. */
  made?: Map<object, unknown>;
}

/** Returns a function that calls `make` once for each operation. For what lives longer, use createContextCache. */
export function perOperation<T extends object>(
  make: (context: Context) => T,
): (context: Context) => T {
  return (context) => {
    context.made ??= new Map();
    // Only this function stores anything under `make`.
    const known = context.made.get(make) as T | undefined;
    if (known) return known;
    const made = make(context);
    context.made.set(make, made);
    return made;
  };
}

/**
 * Wraps `load` so that it starts once for each key and operation. An operation whose compiled run fails runs again
 * (execution/compiler/execute.ts); by then more may be known, such as how fast the line is, and `load` would ask for
 * something else. A result that `load` returns at once, and not as a promise, is not remembered.
 */
export function oncePerOperation<A extends [...unknown[], Context], T>(
  keyOf: (...args: A) => string,
  load: (...args: A) => Maybe<T>,
): (...args: A) => Maybe<T> {
  const begunBy = perOperation((_context: Context) => new Map<string, Promise<T>>());
  return (...args) => {
    const context = args.at(-1) as Context;
    const begun = begunBy(context);
    const before = begun.size > 0 ? begun.get(keyOf(...args)) : undefined;
    if (before) return before;
    const loaded = load(...args);
    if (!(loaded instanceof Promise)) return loaded;
    begun.set(keyOf(...args), loaded);
    // It may send further requests when others that it waits for have failed, even once its field has its answer.
    track(context.operation.underWay, loaded);
    return loaded;
  };
}

/** Works out the current day once for as long as it lasts. */
const calendarOf = createContextCache(({ now, settings: { timezone } }: Gateway) => {
  let current = { day: NaN, start: Infinity, end: -Infinity };
  return (): typeof current => {
    const instant = now();
    if (instant >= current.start && instant < current.end) return current;
    const day = dayAt(instant, timezone);
    return (current = { day, start: startOf(day, timezone), end: startOf(day + 1, timezone) });
  };
});

/** Today in the upstream's time zone. */
export const today = (gateway: Gateway): Day => calendarOf(gateway)().day;

/** The day on which an operation first asked for today, and a check of whether it still is today. */
const operationDay = perOperation(({ gateway }: Context) => {
  const { day, end } = calendarOf(gateway)();
  return { day, end, isToday: () => today(gateway) === day };
});

/**
 * Today, for an operation whose answer depends on it: the same day for all its fields, even if the day ends meanwhile,
 * and the answer stays fresh no longer than that day lasts.
 */
export function todayFor(context: Context): Day {
  const { gateway, operation } = context;
  const { day, end, isToday } = operationDay(context);
  noteFreshUntil(operation, gateway.monotonic() + end - gateway.now());
  operation.parts.add(isToday);
  return day;
}
