import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { parseJson } from '../../json.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { NOTES_KEPT_MS } from '../../shared/shared.ts';
import type { Market } from './records.ts';

/** In which currencies prices are asked for, beside dollars: of this process, and of those that share with it. */

const CURRENCIES = ['TRY', 'EUR'] as const;
type Currency = (typeof CURRENCIES)[number];

/** A currency that was asked for within so many times to live is in use. */
const IN_USE = 2;
const TOPIC = 'crypto in use';
/** How often others are asked, and told at most. */
const EVERY_MS = 1000;

/** When each currency was last asked for, by wall time. */
const times = z.compile(z.partialRecord(z.enum(CURRENCIES), z.number()));

const inUseOf = createContextCache(createInUse);

/** Those that a dry run asks for, which nobody else is to know of. */
const inDryRun = perOperation((_context: Context) => new Set<Currency>());

function currencyOf({ convert, exchange, interval }: Market): Currency | undefined {
  return exchange || interval ? undefined : CURRENCIES.find((one) => one === convert);
}

/** Notes that a market is asked for what only its own answers have. */
export function noteInUse(market: Market, context: Context): void {
  const currency = currencyOf(market);
  if (currency === undefined) return;
  if (context.operation.estimate) inDryRun(context).add(currency);
  else inUseOf(context.gateway).note(currency);
}

/** A currency that is in use; undefined: none is. */
export function currencyInUse(context: Context): Maybe<Currency | undefined> {
  const { heardOf, isInUse } = inUseOf(context.gateway);
  const find = () => CURRENCIES.find((one) => isInUse(one) || inDryRun(context).has(one));
  return find() ?? whenReady(heardOf(), find);
}

function createInUse({ shared, settings, now, monotonic }: Gateway) {
  const forMs = IN_USE * settings.ttl.crypto;
  const own = new Map<Currency, number>();
  let others: readonly z.infer<typeof times>[] = [];
  let toldAt = -Infinity;
  let askedAt = -Infinity;
  let asking: Maybe<void>;

  /** Often enough for others to know as long as it holds. */
  function tell(): void {
    const everyMs = Math.max(EVERY_MS, Math.min(settings.ttl.crypto, NOTES_KEPT_MS) / 2);
    if (!shared || monotonic() - toldAt < everyMs) return;
    toldAt = monotonic();
    const toWall = now() - monotonic();
    shared.note(
      TOPIC,
      JSON.stringify(
        Object.fromEntries(own.entries().map(([currency, at]) => [currency, at + toWall])),
      ),
    );
  }

  const take = (texts: readonly string[]) => {
    others = texts.flatMap((text) => times.safeParse(parseJson(text)).data ?? []);
  };
  const isRecent = (at: number | undefined, until: number) =>
    at !== undefined && until - at <= forMs;

  return {
    note(currency: Currency): void {
      const isNew = !own.has(currency);
      own.set(currency, monotonic());
      if (isNew) toldAt = -Infinity;
      tell();
    },
    /** Asks what others have been asked for, if that was not done just now. */
    heardOf(): Maybe<void> {
      if (!shared) return undefined;
      if (monotonic() - askedAt < EVERY_MS) return asking;
      askedAt = monotonic();
      return (asking = whenReady(shared.notes(TOPIC), take));
    },
    isInUse: (currency: Currency): boolean =>
      isRecent(own.get(currency), monotonic()) ||
      others.some((told) => isRecent(told[currency], now())),
  };
}
