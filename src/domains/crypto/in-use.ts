import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { createPeerNotes } from '../../shared/peer-notes.ts';
import { convertCurrency, type Market } from './market.ts';
import { pricesEndpoint } from './records.ts';

/** Tracks which currencies other than dollars clients ask for, in this process and in those that share with it. */

const otherCurrency = convertCurrency.exclude(['USD']);
type Currency = z.infer<typeof otherCurrency>;
export const CURRENCIES = otherCurrency.options;

/** How long a currency counts as in use after it was last asked for, in times to live (stretched as those of data). */
const IN_USE_TTLS = 2;
const TOPIC = 'crypto in use';

/** When each currency was last asked for, by wall time. */
const times = z.compile(z.partialRecord(otherCurrency, z.number()));

const inUseOf = createContextCache(createInUse);

/** The currencies that a dry run asks for, which must not count for other operations. */
const inDryRun = perOperation((_context: Context) => new Set<Currency>());

function currencyOf({ convert, exchange, interval }: Market): Currency | undefined {
  return exchange || interval ? undefined : CURRENCIES.find((one) => one === convert);
}

/** Reads what other processes have announced, once per operation. */
const refreshedBy = perOperation(({ gateway }: Context) => ({
  refreshed: inUseOf(gateway).refresh(),
}));

/** Notes that prices of a market are asked for, if it is one of CURRENCIES without an exchange or interval. */
export function noteInUse(market: Market, context: Context): void {
  const currency = currencyOf(market);
  if (currency === undefined) return;
  if (context.operation.estimate) inDryRun(context).add(currency);
  else inUseOf(context.gateway).note(currency);
}

/** Returns one of `among` that is in use; undefined if none is. */
export function currencyInUse(
  among: readonly Currency[],
  context: Context,
): Maybe<Currency | undefined> {
  const { isInUse } = inUseOf(context.gateway);
  const find = () => among.find((one) => isInUse(one) || inDryRun(context).has(one));
  return find() ?? whenReady(refreshedBy(context).refreshed, find);
}

function createInUse({ shared, settings, now, monotonic, governors }: Gateway) {
  const inUseMs = () =>
    IN_USE_TTLS * settings.ttl.crypto * governors[pricesEndpoint.meter].stretch();
  const own = new Map<Currency, number>();
  // Announced twice per time to live, so that other processes know of a currency for as long as it is in use.
  const announcements = createPeerNotes(TOPIC, times, {
    shared,
    monotonic,
    repeatMs: settings.ttl.crypto / 2,
  });

  function inWallTime() {
    const toWall = now() - monotonic();
    return Object.fromEntries([...own].map(([one, at]) => [one, at + toWall]));
  }

  const isRecent = (at: number | undefined, until: number) =>
    at !== undefined && until - at <= inUseMs();

  return {
    note(currency: Currency): void {
      const isNew = !own.has(currency);
      own.set(currency, monotonic());
      announcements.publish(inWallTime, isNew);
    },
    refresh: announcements.refresh,
    isInUse: (currency: Currency): boolean =>
      isRecent(own.get(currency), monotonic()) ||
      announcements.others().some((other) => isRecent(other[currency], now())),
  };
}
