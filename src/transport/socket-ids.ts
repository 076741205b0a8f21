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
  /** Passes a client's message on to `deliver`. Rejects if `deliver` does. */
  receive(text: string, deliver: MessageHandler): Promise<void>;
  /** Returns the server's message with the client's own id; undefined if the client has completed the operation. */
  restoreId(text: string): string | undefined;
}

type MessageHandler = (text: string) => Promise<void>;

/** Maximum characters of an id, which is repeated in every message about its operation. */
const MAX_ID_LENGTH = 256;

/** How the server's messages about operations begin. */
const ID_PREFIX = '{"id":"';

/** The payload that the server reads instead of the real one. */
const PLACEHOLDER_PAYLOAD = { query: '' };

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
  function subscribe({ id, payload }: SubscribeMessage, deliver: MessageHandler): Promise<void> {
    const known = open.get(id);
    const number = known ?? begin(id);
    const serverId = `${number}:${id}`;
    if (known === undefined) payloads.set(serverId, payload);
    const delivered = deliver(
      JSON.stringify({ id: serverId, type: 'subscribe', payload: PLACEHOLDER_PAYLOAD }),
    );
    // A second subscribe with an open id is refused by the server, and must not end the first.
    if (known !== undefined) return delivered;
    return delivered.finally(() => {
      payloads.delete(serverId);
      end(id, number);
    });
  }

  function complete(id: string, deliver: MessageHandler): Promise<void> {
    const number = open.get(id);
    end(id, number);
    return deliver(JSON.stringify({ id: `${number ?? ''}:${id}`, type: 'complete' }));
  }

  return {
    payloads,
    receive(text, deliver) {
      const message = readMessage(text);
      // The server refuses an unreadable message in its own words.
      if (!message) return deliver('');
      if (message.type === MessageType.Subscribe) return subscribe(message, deliver);
      return message.type === MessageType.Complete ? complete(message.id, deliver) : deliver(text);
    },
    restoreId(text) {
      if (!text.startsWith(ID_PREFIX)) return text;
      const colon = text.indexOf(':', ID_PREFIX.length);
      if (!openNumbers.has(text.slice(ID_PREFIX.length, colon))) return undefined;
      return ID_PREFIX + text.slice(colon + 1);
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
