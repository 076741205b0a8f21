import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../bounded-map.ts';
import type { DayRange } from '../cache/day-range.ts';
import type { Frequencies, Frequency } from '../cache/frequency.ts';
import type { Maybe } from '../maybe.ts';
import { whenFieldsBegun } from './time-slices.ts';
import { noteFreshUntil } from '../usage/operation.ts';
import { type Context, type Gateway, perOperation } from './context.ts';

/** Tells clients how often a series has a value, from what is cached: nothing is requested for it. */

interface TellerOptions {
  days: { cache(gateway: Gateway): Pick<DayRange<string, unknown>, 'keyOf' | 'catchUp'> };
  frequencies(gateway: Gateway): Frequencies;
  /** What an operation has asked for, by key. */
  loading(context: Context): ReadonlyMap<string, Iterable<unknown>>;
}

const MAX_KEYS = 10_000;
/**
 * How long an answer with an unknown frequency is fresh, in milliseconds: any question may make it known a moment
 * later, and caches in between do not hear of that.
 */
const UNKNOWN_FRESH_MS = 10_000;

/** Returns a function that tells the frequency of a series; null until it is known. */
export function createTeller({ days, frequencies, loading }: TellerOptions) {
  /** Keys whose stored answers have been read already. */
  const lookedUpOf = createContextCache((_gateway: Gateway) =>
    createBoundedMap<string, true>(MAX_KEYS),
  );

  /** Checks whether an operation would still be told the same; one check for all frequencies that it is told. */
  const checkOf = perOperation(({ gateway }: Context) => {
    const { version } = frequencies(gateway);
    const told = version();
    return () => version() === told;
  });

  /** Waits for what the operation asks of the series anyway, and reads what is stored of it. */
  async function learn(key: string, context: Context): Promise<void> {
    await whenFieldsBegun(context.resources);
    const lookedUp = lookedUpOf(context.gateway);
    const stored = lookedUp.has(key) ? false : days.cache(context.gateway).catchUp(key);
    lookedUp.set(key, true);
    await Promise.allSettled([stored, ...(loading(context).get(key) ?? [])]);
  }

  function tell(key: string, context: Context): Frequency | null {
    const { gateway, operation } = context;
    const told = frequencies(gateway).of(days.cache(gateway).keyOf(key));
    operation.parts.add(checkOf(context));
    if (!told) noteFreshUntil(operation, gateway.monotonic() + UNKNOWN_FRESH_MS);
    return told ?? null;
  }

  return (key: string, context: Context): Maybe<Frequency | null> => {
    const isKnown = frequencies(context.gateway).of(days.cache(context.gateway).keyOf(key));
    if (isKnown) return tell(key, context);
    return learn(key, context).then(() => tell(key, context));
  };
}
