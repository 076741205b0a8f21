import type { IncomingHttpHeaders } from 'node:http';
import { createBoundedMap } from '../bounded-map.ts';
import type { News } from '../shared/news.ts';
import type { Clock } from '../time.ts';
import type { Clients } from './clients.ts';
import type { Client } from './file.ts';
import { digestOf } from './keys.ts';
import { createRateCount, type Rate, type RateCount } from './rate.ts';
import { createToldCounts } from './told-counts.ts';

/** Tells who asks, and whether they may ask now. */
export interface Door {
  /** Whose key it is; undefined: nobody's. */
  identify(key: string | undefined): Caller | undefined;
  /** The same caller as the file has it now; undefined: its key has been revoked. */
  again(caller: Caller): Caller | undefined;
  /** Counts an operation; undefined: the client has no limit. */
  takeTurn(caller: Caller): Rate | undefined;
  whenRevoked: Clients['whenRevoked'];
  allowsOrigin: Clients['allowsOrigin'];
}

/** A client, and the key by which it was told. */
export interface Caller {
  readonly client: Client;
  readonly digest: string;
}

const MOST_IN_USE = 1000;

/** `siblings`: other processes that serve the same port, which count together; undefined: there are none. */
export function createDoor(clients: Clients, monotonic: Clock, siblings?: News): Door {
  const counts = new Map<string, RateCount>();

  function callerWith(digest: string): Caller | undefined {
    const client = clients.withDigest(digest);
    return client && { client, digest };
  }

  /** Keys that are in use, in memory only: to make their digest takes longer than all else that is done here. */
  const inUse = createBoundedMap<string, Caller>(MOST_IN_USE);

  function identify(key: string): Caller | undefined {
    const known = inUse.get(key);
    if (known && clients.withDigest(known.digest) === known.client) return known;
    const caller = callerWith(digestOf(key));
    if (caller) inUse.set(key, caller);
    else inUse.delete(key);
    return caller;
  }

  function countOf(name: string): RateCount {
    const count = counts.get(name) ?? createRateCount(monotonic);
    counts.set(name, count);
    return count;
  }

  const told = siblings && createToldCounts(siblings, (name, count) => countOf(name).add(count));

  function takeTurn({ client: { name, operationsPerMinute } }: Caller): Rate | undefined {
    if (operationsPerMinute === undefined) return undefined;
    const rate = countOf(name).take(operationsPerMinute);
    if (!rate.isExceeded) told?.note(name);
    return rate;
  }

  return {
    identify: (key) => (key ? identify(key) : undefined),
    again: ({ digest }) => callerWith(digest),
    takeTurn,
    whenRevoked: clients.whenRevoked,
    allowsOrigin: clients.allowsOrigin,
  };
}

/** `Authorization: Bearer KEY` or `x-api-key: KEY`. */
export function keyInHeaders(headers: IncomingHttpHeaders): string | undefined {
  const bearer = bearerIn(headers.authorization);
  if (bearer !== undefined) return bearer;
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key.trim() : undefined;
}

function bearerIn(authorization: unknown): string | undefined {
  if (typeof authorization !== 'string') return undefined;
  return /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
}

/**
 * The same in the payload of a WebSocket's `connection_init`, at its top or under `headers`, as clients
 * write it: names of fields in any case.
 */
export function keyInPayload(payload: Readonly<Record<string, unknown>> = {}): string | undefined {
  const fields = fieldsOf(payload);
  const nested = fields.get('headers');
  return keyAmong(fields) ?? (isRecord(nested) ? keyAmong(fieldsOf(nested)) : undefined);
}

const fieldsOf = (record: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));

function keyAmong(fields: ReadonlyMap<string, unknown>): string | undefined {
  const key = fields.get('x-api-key') ?? fields.get('apikey');
  return (
    bearerIn(fields.get('authorization')) ?? (typeof key === 'string' ? key.trim() : undefined)
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
