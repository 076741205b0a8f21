import { expect } from 'vitest';
import { readReply } from '../reply.ts';
import type { Subscriber } from './subscriber.ts';

/** Subscribes over server-sent events, the way EventSource (GET) or graphql-sse (POST) does. */

export type Method = 'GET' | 'POST';

interface Parameters {
  query: string;
  variables?: object | undefined;
}

const ACCEPT = 'text/event-stream';

export async function openSse(
  url: string,
  parameters: Parameters,
  method: Method = 'POST',
  headers: Record<string, string> = {},
): Promise<Subscriber> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await (method === 'POST'
    ? fetch(url, {
        method,
        signal,
        headers: { ...JSON_HEADERS, ...headers },
        body: JSON.stringify(parameters),
      })
    : fetch(url + searchOf(parameters), { signal, headers: { accept: ACCEPT, ...headers } }));
  expect(response.headers.get('content-type')).toContain(ACCEPT);
  expect(response.headers.get('cache-control')).toMatch(/no-cache|no-store/);
  const subscriber: Subscriber = {
    events: [],
    ended: Promise.resolve(),
    leave: () => leaving.abort(),
  };
  subscriber.ended = read(response, subscriber).catch(() => undefined);
  return subscriber;
}

const JSON_HEADERS = { accept: ACCEPT, 'content-type': 'application/json' };

function searchOf({ query, variables }: Parameters): string {
  const search = new URLSearchParams({ query });
  if (variables) search.set('variables', JSON.stringify(variables));
  return `?${search.toString()}`;
}

async function read({ body, status }: Response, { events }: Subscriber): Promise<void> {
  let text = '';
  for await (const chunk of (body ?? new Response('').body!).pipeThrough(new TextDecoderStream())) {
    const messages = (text + chunk).split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^event: next\ndata: (.*)$/s.exec(message)?.[1];
      if (data !== undefined) events.push(readReply(status, data));
    }
  }
}
