import type { Operation } from '../usage/operation.ts';

/** A request that asks for `wanted`, from its planning to its end. */
export interface Flight<W, T> {
  /** May still grow until the request has left. */
  wanted: W;
  hasLeft: boolean;
  landed: Promise<T>;
}

/** The requests under way for every key. */
export interface Flights<W, T> {
  of(key: string): readonly Flight<W, T>[];
  /** Starts a flight; `fly` calls `leave` at the last moment to learn what to ask for. */
  start(key: string, wanted: W, fly: (leave: () => W) => Promise<T>): Flight<W, T>;
}

export function createFlights<W, T>(): Flights<W, T> {
  const flights = new Map<string, Flight<W, T>[]>();

  function end(key: string, flight: Flight<W, T>): void {
    const left = (flights.get(key) ?? []).filter((other) => other !== flight);
    if (left.length > 0) flights.set(key, left);
    else flights.delete(key);
  }

  return {
    of: (key) => flights.get(key) ?? [],
    start(key, wanted, fly) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const flight: Flight<W, T> = { wanted, hasLeft: false, landed: promise };
      const leave = () => {
        flight.hasLeft = true;
        return flight.wanted;
      };
      flights.set(key, [...(flights.get(key) ?? []), flight]);
      fly(leave)
        .finally(() => end(key, flight))
        .then(resolve, reject);
      return flight;
    },
  };
}

/** A dry run plans alone: nobody must wait for requests that are never sent. */
export function flightsFor<W, T>(shared: Flights<W, T>, { estimate }: Operation): Flights<W, T> {
  return estimate ? createFlights() : shared;
}
