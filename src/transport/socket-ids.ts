import {
  type Message,
  MessageType,
  type SubscribeMessage,
  type SubscribePayload,
  validateMessage,
} from 'graphql-ws';
import { parseJson } from '../json.ts';

/**
 * Operations on one WebSocket, as the protocol's server (graphql-ws) is told of them.
 *
 * It is told an id of a number, a colon, and the client's own. A client that has completed an operation may use its id
 * again at once, while the server is still busy with the former one, and would take the one for the other: each
 * operation has a number of its own.
 *
 * It is not told what was asked for, since it would keep that in memory for as long as the operation is open.
 */
export interface OperationIds {
  /** What operations were sent with that have not been read yet, by the ids that the server knows. */
  payloads: Map<string, SubscribePayload>;
  /** Hands a client's message on. Rejects as `take` does. */
  received(text: string, take: Take): Promise<void>;
  /** What the server sends, with the client's own id; undefined where its client wants no more of it. */
  sent(text: string): string | undefined;
}

type Take = (text: string) => Promise<void>;

/** In characters. It comes with every message about its operation. */
const MAX_ID_LENGTH = 256;

/** How messages about operations begin that the server sends. */
const BEGINNING = '{"id":"';

/** What the server reads in the place of what was asked for. */
const ANY_PAYLOAD = { query: '' };

export function createOperationIds(): OperationIds {
  /** By the client's ids: those that it may complete, and must not use again. */
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

  /** No function that waits for the end of the operation may know its payload. */
  function subscribe({ id, payload }: SubscribeMessage, take: Take): Promise<void> {
    const known = open.get(id);
    const number = known ?? begin(id);
    const name = `${number}:${id}`;
    if (known === undefined) payloads.set(name, payload);
    const taken = take(JSON.stringify({ id: name, type: 'subscribe', payload: ANY_PAYLOAD }));
    // A second one of an open id is refused, and ends nothing.
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
      // What cannot be read the server refuses in its own words.
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

/** Undefined for what is no message of the protocol. */
function readMessage(text: string): Message | undefined {
  try {
    const message = validateMessage(parseJson(text));
    return 'id' in message && message.id.length > MAX_ID_LENGTH ? undefined : message;
  } catch {
    return undefined;
  }
}

/** The reason for which the server closes a WebSocket, with the client's own id. */
export const closeReason = (reason: string): string =>
  reason.replace(/^(Subscriber for )\d+:/, '$1');
