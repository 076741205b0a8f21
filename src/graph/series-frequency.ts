import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../bounded-map.ts';
import type { DayRange } from '../cache/day-range-options.ts';
import type { Frequencies, Frequency } from '../cache/frequency.ts';
import type { Maybe } from '../maybe.ts';
import { whenFieldsBegun } from './time-slices.ts';
import { noteFreshUntil } from '../usage/operation.ts';
import { type Context, type Gateway, perOperation } from './context.ts';

/** Tells clients how often a series has a value, from what is cached: nothing is requested for it. */

interface FrequencyReaderOptions {
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

/** Returns a function that reads the frequency of a series; null until it is known. */
export function createFrequencyReader({ days, frequencies, loading }: FrequencyReaderOptions) {
  /** Keys whose stored answers have been read already. */
  const lookedUpOf = createContextCache((_gateway: Gateway) =>
    createBoundedMap<string, true>(MAX_KEYS),
  );

  /** A check of whether an operation would still read the same; one for all frequencies that it reads. */
  const checkOf = perOperation(({ gateway }: Context) => {
    const { version } = frequencies(gateway);
    const before = version();
    return () => version() === before;
  });

  /** Waits for what the operation asks of the series anyway, and reads what is stored of it. */
  async function learn(key: string, context: Context): Promise<void> {
    await whenFieldsBegun(context.resources);
    const lookedUp = lookedUpOf(context.gateway);
    const stored = lookedUp.has(key) ? false : days.cache(context.gateway).catchUp(key);
    lookedUp.set(key, true);
    await Promise.allSettled([stored, ...(loading(context).get(key) ?? [])]);
  }

  function readKnown(key: string, context: Context): Frequency | null {
    const { gateway, operation } = context;
    const known = frequencies(gateway).of(days.cache(gateway).keyOf(key));
    operation.parts.add(checkOf(context));
    if (!known) noteFreshUntil(operation, gateway.monotonic() + UNKNOWN_FRESH_MS);
    return known ?? null;
  }

  return (key: string, context: Context): Maybe<Frequency | null> => {
    const known = frequencies(context.gateway).of(days.cache(context.gateway).keyOf(key));
    if (known) return readKnown(key, context);
    return learn(key, context).then(() => readKnown(key, context));
  };
}
