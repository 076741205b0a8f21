import {
  type Message,
  MessageType,
  type SubscribeMessage,
  type SubscribePayload,
  validateMessage,
} from 'graphql-ws';
import { parseJson } from '../json.ts';

/**
 * Operations on one WebSocket, as they are presented to the protocol's server (graphql-ws).
 *
 * The server sees ids made of a number, a colon and the client's own id. A client that has completed an operation may
 * reuse its id at once, while the server is still busy with the earlier operation and would confuse the two: so each
 * operation gets a number of its own.
 *
 * The server never sees the payload, since it would keep that in memory for as long as the operation is open.
 */
export interface OperationIds {
  /** Payloads of operations that have not been read yet, by the ids that the server knows. */
  payloads: Map<string, SubscribePayload>;
  /** Passes a client's message on to `take`. Rejects if `take` does. */
  received(text: string, take: Take): Promise<void>;
  /** Returns the server's message with the client's own id; undefined if the client has completed the operation. */
  sent(text: string): string | undefined;
}

type Take = (text: string) => Promise<void>;

/** Maximum characters of an id, which is repeated in every message about its operation. */
const MAX_ID_LENGTH = 256;

/** How the server's messages about operations begin. */
const BEGINNING = '{"id":"';

/** The payload that the server reads instead of the real one. */
const ANY_PAYLOAD = { query: '' };

export function createOperationIds(): OperationIds {
  /** Numbers of open operations, by the client's ids: it may complete these, and must not reuse them yet. */
  const open = new Map<string, string>();
  const openNumbers = new Set<string>();
  const payloads = new Map<string, SubscribePayload>();
  let count = 0;

  function begin(id: string): string {
    count += 1;
    const number = String(count);
    open.set(id, number);
    openNumbers.add(number);
    return number;
  }

  function end(id: string, number: string | undefined): void {
    if (number === undefined || open.get(id) !== number) return;
    open.delete(id);
    openNumbers.delete(number);
  }

  /** No function that waits for the end of the operation may refer to its payload. */
  function subscribe({ id, payload }: SubscribeMessage, take: Take): Promise<void> {
    const known = open.get(id);
    const number = known ?? begin(id);
    const name = `${number}:${id}`;
    if (known === undefined) payloads.set(name, payload);
    const taken = take(JSON.stringify({ id: name, type: 'subscribe', payload: ANY_PAYLOAD }));
    // A second subscribe with an open id is refused by the server, and must not end the first.
    if (known !== undefined) return taken;
    return taken.finally(() => {
      payloads.delete(name);
      end(id, number);
    });
  }

  function complete(id: string, take: Take): Promise<void> {
    const number = open.get(id);
    end(id, number);
    return take(JSON.stringify({ id: `${number ?? ''}:${id}`, type: 'complete' }));
  }

  return {
    payloads,
    received(text, take) {
      const message = readMessage(text);
      // The server refuses an unreadable message in its own words.
      if (!message) return take('');
      if (message.type === MessageType.Subscribe) return subscribe(message, take);
      return message.type === MessageType.Complete ? complete(message.id, take) : take(text);
    },
    sent(text) {
      if (!text.startsWith(BEGINNING)) return text;
      const colon = text.indexOf(':', BEGINNING.length);
      if (!openNumbers.has(text.slice(BEGINNING.length, colon))) return undefined;
      return BEGINNING + text.slice(colon + 1);
    },
  };
}

/** Returns undefined for anything that is not a message of the protocol. */
function readMessage(text: string): Message | undefined {
  try {
    const message = validateMessage(parseJson(text));
    return 'id' in message && message.id.length > MAX_ID_LENGTH ? undefined : message;
  } catch {
    return undefined;
  }
}

/** Returns the server's reason for closing a WebSocket, with the client's own id. */
export const closeReason = (reason: string): string =>
  reason.replace(/^(Subscriber for )\d+:/, '$1');
