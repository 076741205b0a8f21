import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openSocket, type Socket } from '../live/socket.ts';
import { openSse } from '../live/sse.ts';
import type { Subscriber } from '../live/subscriber.ts';
import type { Keys } from './clients.ts';

/** Clients that listen with their keys. */

export const LIVE = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair mid } }';

/** The rates are looked at every 50 ms, if the clock has moved. */
export const OFTEN = { TTL_FX_RATES: '0.05' };

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

/** A WebSocket whose key comes as most clients send it. */
export function socketOf({ bench, headersOf }: Keys, client: string, url = bench.url): Socket {
  return openSocket(url, {}, headersOf(client));
}

/** Whether nobody has ended it so far. */
export function isOpen({ ended }: Subscriber): Promise<boolean> {
  return Promise.race([ended.then(() => false), setImmediate(true)]);
}

/** Codes of the errors that came as the last event. */
export const lastCodes = ({ events }: Subscriber) =>
  events.at(-1)?.errors.map(({ extensions }) => extensions.code);

/**
 * What has ended a WebSocket: the code of its close, or why it did not come about. Or what a client was
 * told of one operation over it: codes of errors. Undefined where that ran to its end.
 */
export async function endOf(subscriber: Subscriber): Promise<unknown> {
  const end = await subscriber.ended;
  if (Array.isArray(end)) return end.map(({ extensions }) => extensions.code);
  const { code, message } = Object(end);
  return code ?? message;
}

/** The code by which a WebSocket tells that a key is not, or no more, good. */
export const UNAUTHORIZED = 4401;
