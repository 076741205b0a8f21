import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openSocket, type Socket } from '../live/socket.ts';
import { openSse } from '../live/sse.ts';
import type { Subscriber } from '../live/subscriber.ts';
import type { Keys } from './clients.ts';

/** Clients that listen with their keys. */

export const LIVE = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair mid } }';

/** Makes the gateway poll the rates every 50 ms, if the clock has moved. */
export const POLL_OFTEN = { TTL_FX_RATES: '0.05' };

type Headers = Record<string, string>;

/** Listens over server-sent events. */
export async function listen(
  url: string,
  headers: Headers,
  method?: 'GET' | 'POST',
): Promise<Subscriber> {
  const subscriber = await openSse(url, { query: LIVE }, method, headers);
  onTestFinished(subscriber.leave);
  return subscriber;
}

/** Opens a WebSocket, with the key where most clients send it. */
export function socketOf({ bench, headersOf }: Keys, client: string, url = bench.url): Socket {
  return openSocket(url, {}, headersOf(client));
}

/** Whether it is still open. */
export function isOpen({ ended }: Subscriber): Promise<boolean> {
  return Promise.race([ended.then(() => false), setImmediate(true)]);
}

/** Returns the codes of the errors in the last event. */
export const lastCodes = ({ events }: Subscriber) =>
  events.at(-1)?.errors.map(({ extensions }) => extensions.code);

/**
 * Resolves to what has ended a WebSocket: its close code, or why it could not be opened; or, for one operation over it,
 * to its error codes. Undefined if the operation ran to its end.
 */
export async function endOf(subscriber: Subscriber): Promise<unknown> {
  const end = await subscriber.ended;
  if (Array.isArray(end)) return end.map(({ extensions }) => extensions.code);
  const { code, message } = Object(end);
  return code ?? message;
}

/** The close code for a key that is not valid, or no longer. */
export const UNAUTHORIZED = 4401;
