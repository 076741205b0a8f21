import { z } from 'zod';
import { parseJson } from '../json.ts';

/**
 * Ids of operations on one WebSocket, as the protocol's server (graphql-ws) is told them: a number, a colon, and the
 * client's own. A client that has completed an operation may use its id again at once, while the server is still busy
 * with the former one, and would take the one for the other: each operation has a number of its own.
 */
export interface OperationIds {
  /** Hands a client's message on. Rejects as `take` does. */
  received(text: string, take: (text: string) => Promise<void>): Promise<void>;
  /** What the server sends, with the client's own id; undefined where its client wants no more of it. */
  sent(text: string): string | undefined;
}

const aboutOperation = z.looseObject({
  type: z.enum(['subscribe', 'complete']),
  id: z.string().min(1),
});

/** How messages about operations begin that the server sends. */
const BEGINNING = '{"id":"';

export function createOperationIds(): OperationIds {
  /** By the client's ids: those that it may complete, and must not use again. */
  const open = new Map<string, string>();
  const openNumbers = new Set<string>();
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

  return {
    async received(text, take) {
      const { data: message } = aboutOperation.safeParse(parseJson(text));
      if (!message) return take(text);
      const { type, id } = message;
      const known = open.get(id);
      const number = known ?? (type === 'subscribe' ? begin(id) : '');
      if (type === 'complete') end(id, known);
      try {
        await take(JSON.stringify({ ...message, id: `${number}:${id}` }));
      } finally {
        // It has ended by itself. A second one of an open id is refused, and ends nothing.
        if (known === undefined) end(id, number);
      }
    },
    sent(text) {
      if (!text.startsWith(BEGINNING)) return text;
      const colon = text.indexOf(':', BEGINNING.length);
      if (!openNumbers.has(text.slice(BEGINNING.length, colon))) return undefined;
      return BEGINNING + text.slice(colon + 1);
    },
  };
}

/** The reason for which the server closes a WebSocket, with the client's own id. */
export const closeReason = (reason: string): string =>
  reason.replace(/^(Subscriber for )\d+:/, '$1');
