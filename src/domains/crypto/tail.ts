import { createFlights, type Flight, type Flights, flightsFor } from '../../cache/flights.ts';
import { type Held, hit, isFresh, used } from '../../cache/held.ts';
import { endsWithItsOwner, servesOldData } from '../../cache/pauses.ts';
import { BYTES_IN_MEMORY } from '../../cache/store.ts';
import type { Gateway } from '../../graph/context.ts';
import { asError } from '../../graph/dataset.ts';
import type { Operation } from '../../usage/operation.ts';
import { bookOf, marketKey, pricesTarget } from './book.ts';
import { type CryptoAssetShape, type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';

/** What is known of a symbol: null where the upstream has no such asset. */
type Known = Held<CryptoAssetShape | null>;

/**
 * Assets that rank too low for the whole list. Every request for some of them asks for those asked
 * before, too, since more symbols cost the same credit; one that is missing in the answer is
 * remembered as missing.
 */
export interface Tail {
  read(market: Market, symbol: string, operation: Operation): Known | undefined;
  load(
    market: Market,
    symbols: readonly string[],
    operation: Operation,
  ): Promise<(Known | Error)[]>;
  /** Whether the asset was found here before: then it need not be looked for in the whole list. */
  has(market: Market, symbol: string): boolean;
}

/** Symbols remembered for each market, the ones asked for last at the end. */
type Memory = ReadonlyMap<string, Known>;

const REMEMBERED = 2 * MAX_ASSETS;

/** Any other ticker travels alone: a refusal of it is no business of its neighbours. */
const isPlain = (symbol: string) => /^[A-Z0-9.$_-]{1,20}$/.test(symbol);

const hasRoom = (wanted: readonly string[]) => wanted.length < MAX_ASSETS && wanted.every(isPlain);

export function openTail({ store, client, pauses, now, settings }: Gateway): Tail {
  const shelf = store.shelf<Memory>();
  const shared = createFlights<readonly string[], Memory>();
  /** Found in some market: likely to be asked for in the others, too. */
  const found = new Set<string>();
  const memoryOf = (market: Market): Memory => shelf.get(marketKey(market)) ?? new Map();

  function fresh(market: Market, symbol: string): Known | undefined {
    const known = memoryOf(market).get(symbol);
    return known && isFresh(known, now()) ? known : undefined;
  }

  /** Asks for the symbols, and remembers them all, found or not. */
  async function ask(market: Market, leave: () => readonly string[], operation: Operation) {
    let symbols: readonly string[] | undefined;
    const target = () => pricesTarget(market, (symbols ??= leave()));
    const answer = await client.fetch(pricesEndpoint, target, operation);
    const { bySymbol } = bookOf(answer, market);
    const { origin, warnings } = answer;
    const expiresAt = origin.retrievedAt + settings.ttl.crypto;
    const held = { origin, warnings, expiresAt, stale: false, isCurrent: () => false };
    const brought: Memory = new Map(
      (symbols ?? []).map((symbol) => [symbol, { ...held, value: bySymbol.get(symbol) ?? null }]),
    );
    if (found.size > REMEMBERED) found.clear();
    for (const symbol of bySymbol.keys()) found.add(symbol);
    const earlier = [...memoryOf(market)].filter(([symbol]) => !brought.has(symbol));
    const memory: Memory = new Map([...earlier, ...brought].slice(-REMEMBERED));
    const bytes = (answer.bytes + memory.size * 100) * BYTES_IN_MEMORY;
    shelf.set(marketKey(market), memory, bytes);
    // Only what is here can be sealed.
    const isCurrent = shelf.seal(marketKey(market));
    for (const known of brought.values()) known.isCurrent = isCurrent;
    return brought;
  }

  /** Asks for what was asked before, too, here or in another market, as far as there is room. */
  function withEarlier(market: Market, wanted: readonly string[]): readonly string[] {
    if (!wanted.every(isPlain)) return wanted;
    const own = new Set(memoryOf(market).keys());
    const known = [...found.difference(own), ...own];
    const others = known.filter((symbol) => isPlain(symbol) && !wanted.includes(symbol));
    const room = MAX_ASSETS - wanted.length;
    return [...wanted, ...(room > 0 ? others.slice(-room) : [])];
  }

  /** The request that brings the symbol: one under way, one that has not left yet, or a new one. */
  function flightFor(symbol: string, { flights, market, operation }: Journey): TailFlight {
    const key = marketKey(market);
    const underWay = flights.of(key);
    const waiting = underWay.find(({ hasLeft, wanted }) => !hasLeft && hasRoom(wanted));
    const same = underWay.find(({ wanted }) => wanted.includes(symbol));
    const joined = same ?? (isPlain(symbol) ? waiting : undefined);
    if (joined && !joined.wanted.includes(symbol)) joined.wanted = [...joined.wanted, symbol];
    if (joined) return joined;
    return flights.start(key, [symbol], (leave) =>
      pauses.guard(`crypto tail ${key}`, () =>
        ask(market, () => withEarlier(market, leave()), operation),
      ),
    );
  }

  async function land(
    symbol: string,
    { landed }: TailFlight,
    { market, operation }: Journey,
    isJoined: boolean,
  ): Promise<Known | Error> {
    const old = memoryOf(market).get(symbol);
    try {
      const brought = (await landed).get(symbol);
      return brought ? used(brought, operation) : new Error(`${symbol} was not asked for`);
    } catch (error) {
      if (isJoined && endsWithItsOwner(error)) return (await load(market, [symbol], operation))[0]!;
      if (!old || !servesOldData(error)) return asError(error);
      return used({ ...old, stale: true }, operation);
    }
  }

  async function load(market: Market, symbols: readonly string[], operation: Operation) {
    const journey = { flights: flightsFor(shared, operation), market, operation };
    const earlier = journey.flights.of(marketKey(market));
    return Promise.all(
      symbols.map((symbol) => {
        const known = fresh(market, symbol);
        if (known) return hit(known, operation);
        const flight = flightFor(symbol, journey);
        const isJoined = earlier.includes(flight);
        if (isJoined) operation.coalesced += 1;
        return land(symbol, flight, journey, isJoined);
      }),
    );
  }

  return {
    load,
    read(market, symbol, operation) {
      const known = fresh(market, symbol);
      return known && hit(known, operation);
    },
    has: (market, symbol) => Boolean(memoryOf(market).get(symbol)?.value),
  };
}

type TailFlight = Flight<readonly string[], Memory>;

interface Journey {
  flights: Flights<readonly string[], Memory>;
  market: Market;
  operation: Operation;
}
