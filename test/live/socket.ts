import { createClient } from 'graphql-ws';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { readReply } from '../reply.ts';
import type { Subscriber } from './subscriber.ts';

/** One WebSocket of graphql-ws's own client, and all its subscribers. */
export interface Socket {
  all: Subscriber[];
  subscribe(query: string, variables?: Record<string, unknown>): Subscriber;
  /** Waits until the server has handled all that was sent before: it reads messages in order. */
  sync(): Promise<void>;
  /** Drops the connection without a close frame. */
  destroy(): void;
  dispose(): Promise<void>;
}

export function openSocket(
  url: string,
  headers: Record<string, string> = {},
  connectionParams: Record<string, unknown> = {},
): Socket {
  const opened: WebSocket[] = [];
  class Watched extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols, { headers });
      opened.push(this);
    }
  }
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: Watched,
    retryAttempts: 0,
    connectionParams,
  });
  const all: Subscriber[] = [];
  const dispose = async () => {
    await client.dispose();
  };
  onTestFinished(dispose);

  function subscribe(query: string, variables?: Record<string, unknown>): Subscriber {
    const events: Subscriber['events'] = [];
    let leave = () => {};
    const ended = new Promise<unknown>((resolve) => {
      leave = client.subscribe(
        { query, variables },
        {
          next: (event) => events.push(readReply(200, JSON.stringify(event))),
          error: resolve,
          complete: () => resolve(undefined),
        },
      );
    });
    const subscriber = { events, ended, leave: () => leave() };
    all.push(subscriber);
    return subscriber;
  }

  return {
    all,
    subscribe,
    async sync() {
      await subscribe('{ __typename }').ended;
    },
    destroy: () => opened.forEach((socket) => socket.terminate()),
    dispose,
  };
}
