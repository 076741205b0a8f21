import type { IncomingHttpHeaders } from 'node:http';
import type { WhenRevoked } from '../graph/context.ts';
import type { News } from '../shared/news.ts';
import type { Clock } from '../time.ts';
import type { Clients } from './clients.ts';
import type { Client } from './file.ts';
import { headersIn, type InitPayload } from './init-payload.ts';
import { digestOf } from './keys.ts';
import { createRateCount, type Rate, type RateCount } from './rate.ts';
import { unauthenticated } from './refusals.ts';
import { createSharedCounts } from './shared-counts.ts';

/** Tells which client sends a request, and whether it may send one now. */
export interface Authenticator {
  /** Returns the client whose key it is; undefined if it is nobody's. */
  identify(key: string | undefined): Caller | undefined;
  /** Returns the client whose key is in the headers of a request. */
  identifyIn(headers: IncomingHttpHeaders): Caller | undefined;
  /** Counts an operation of a client against its rate limit; undefined: it has none. */
  countOperation(client: Client): Rate | undefined;
  allowsOrigin: Clients['allowsOrigin'];
}

/** A client that has shown a valid key. Long connections follow its changes by `latest` and `whenRevoked`. */
export interface Caller {
  readonly client: Client;
  /** Returns the client as the file has it now; undefined if the key has been revoked. */
  latest(): Client | undefined;
  /** Calls `end` when the key is revoked; at once if it already is. */
  readonly whenRevoked: WhenRevoked;
}

const MAX_KEYS_IN_USE = 1000;
const BEARER = 'Bearer ';

/** `siblings`: other processes that serve the same port, with a common count; undefined if there are none. */
export function createAuthenticator(
  clients: Clients,
  monotonic: Clock,
  siblings?: News,
): Authenticator {
  const counts = new Map<string, RateCount>();

  function callerWith(digest: string): Caller | undefined {
    const latest = () => clients.withDigest(digest);
    const client = latest();
    if (!client) return undefined;
    const whenRevoked: WhenRevoked = (end) =>
      clients.whenRevoked(digest, () => end(unauthenticated()));
    return { client, latest, whenRevoked };
  }

  /** Keys in use, in memory only: computing their digests would take longer than everything else here. */
  const inUse = new Map<string, Caller>();

  function known(key: string): Caller | undefined {
    const caller = inUse.get(key);
    return caller && caller.latest() === caller.client ? caller : undefined;
  }

  function identify(key: string): Caller | undefined {
    const inMemory = known(key);
    if (inMemory) return inMemory;
    const caller = callerWith(digestOf(key));
    inUse.delete(key);
    if (inUse.size >= MAX_KEYS_IN_USE) inUse.clear();
    if (caller) inUse.set(key, caller);
    return caller;
  }

  function identifyIn(headers: IncomingHttpHeaders): Caller | undefined {
    const { authorization } = headers;
    // The usual form of the header, which is recognized without looking for any other.
    const usual = authorization?.startsWith(BEARER) && known(authorization.slice(BEARER.length));
    if (usual) return usual;
    const key = keyInHeaders(headers);
    return key ? identify(key) : undefined;
  }

  function countOf(name: string): RateCount {
    const count = counts.get(name) ?? createRateCount(monotonic);
    counts.set(name, count);
    return count;
  }

  const tellSiblings =
    siblings && createSharedCounts(siblings, (name, count) => countOf(name).add(count));

  function countOperation({ name, operationsPerMinute }: Client): Rate | undefined {
    if (operationsPerMinute === undefined) return undefined;
    const rate = countOf(name).take(operationsPerMinute);
    if (!rate.isExceeded) tellSiblings?.(name);
    return rate;
  }

  return {
    identify: (key) => (key ? identify(key) : undefined),
    identifyIn,
    countOperation,
    allowsOrigin: clients.allowsOrigin,
  };
}

/** Returns the key in `Authorization: Bearer KEY` or `x-api-key: KEY`. */
export function keyInHeaders(headers: IncomingHttpHeaders): string | undefined {
  return bearerIn(headers.authorization) ?? trimmed(headers['x-api-key']);
}

/** An empty text is no key: programs send one for a setting that they lack, and may have the key elsewhere. */
const trimmed = (key: unknown) => (typeof key === 'string' ? key.trim() || undefined : undefined);

/** Returns the key, or token, in an `Authorization: Bearer` header. */
export function bearerIn(authorization: unknown): string | undefined {
  if (typeof authorization !== 'string') return undefined;
  return /^\s*bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
}

/** Returns the key in the payload of a WebSocket's `connection_init`. */
export function keyInPayload(payload: InitPayload): string | undefined {
  return headersIn(payload)
    .map(keyAmong)
    .find((key) => key !== undefined);
}

function keyAmong(fields: ReadonlyMap<string, unknown>): string | undefined {
  const key = trimmed(fields.get('x-api-key')) ?? trimmed(fields.get('apikey'));
  return bearerIn(fields.get('authorization')) ?? key;
}
