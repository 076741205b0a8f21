import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { createTold } from '../../shared/told.ts';
import type { Market } from './records.ts';

/** In which currencies prices are asked for, beside dollars: of this process, and of those that share with it. */

export const CURRENCIES = ['TRY', 'EUR'] as const;
type Currency = (typeof CURRENCIES)[number];

/** A currency that was asked for within so many times to live is in use. */
const IN_USE = 2;
const TOPIC = 'crypto in use';

/** When each currency was last asked for, by wall time. */
const times = z.compile(z.partialRecord(z.enum(CURRENCIES), z.number()));

const inUseOf = createContextCache(createInUse);

/** Those that a dry run asks for, which nobody else is to know of. */
const inDryRun = perOperation((_context: Context) => new Set<Currency>());

function currencyOf({ convert, exchange, interval }: Market): Currency | undefined {
  return exchange || interval ? undefined : CURRENCIES.find((one) => one === convert);
}

/** What other processes have told is read once for each operation. */
const heardBy = perOperation(({ gateway }: Context) => ({ heard: inUseOf(gateway).hear() }));

/** Notes that a market is asked for what only its own answers have. */
export function noteInUse(market: Market, context: Context): void {
  const currency = currencyOf(market);
  if (currency === undefined) return;
  if (context.operation.estimate) inDryRun(context).add(currency);
  else inUseOf(context.gateway).note(currency);
}

/** One of `among` that is in use; undefined: none is. */
export function currencyInUse(
  among: readonly Currency[],
  context: Context,
): Maybe<Currency | undefined> {
  const { isInUse } = inUseOf(context.gateway);
  const find = () => among.find((one) => isInUse(one) || inDryRun(context).has(one));
  return find() ?? whenReady(heardBy(context).heard, find);
}

function createInUse({ shared, settings, now, monotonic }: Gateway) {
  const forMs = IN_USE * settings.ttl.crypto;
  const own = new Map<Currency, number>();
  // Others must know as long as it holds.
  const told = createTold(TOPIC, times, { shared, monotonic, againMs: settings.ttl.crypto / 2 });

  function inWallTime() {
    const toWall = now() - monotonic();
    return Object.fromEntries([...own].map(([one, at]) => [one, at + toWall]));
  }

  const isRecent = (at: number | undefined, until: number) =>
    at !== undefined && until - at <= forMs;

  return {
    note(currency: Currency): void {
      const isNew = !own.has(currency);
      own.set(currency, monotonic());
      told.tell(inWallTime, isNew);
    },
    hear: told.hear,
    isInUse: (currency: Currency): boolean =>
      isRecent(own.get(currency), monotonic()) ||
      told.others().some((other) => isRecent(other[currency], now())),
  };
}
