import type { FetchAPI } from 'graphql-yoga';
import { expect, test } from 'vitest';
import type { EventsReply } from '../../src/pipeline/request.ts';
import { eventStreamReply } from '../../src/transport/event-stream.ts';
import { createOpenStreams } from '../../src/transport/http.ts';

/** Event streams that end because their source fails. */

test('a stream whose source fails is no longer open, and does not delay the end of others', async () => {
  const openStreams = createOpenStreams();
  const request = { method: 'GET', url: '/graphql', headers: {}, body: '', address: '' };
  const open = async (next: () => Promise<IteratorResult<never>>) => {
    const events = { next, return: next, [Symbol.asyncIterator]: () => events };
    const reply = { kind: 'events', events } as unknown as EventsReply;
    const fetchAPI = { Response, ReadableStream, TextEncoder } as unknown as FetchAPI;
    const { body } = await eventStreamReply(request, reply, () => fetchAPI, openStreams);
    return (body as ReadableStream<Uint8Array>).getReader();
  };
  const readAll = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
    while (!(await reader.read()).done);
  };
  const failing = await open(() => Promise.reject(new Error('gone')));
  const waiting = readAll(await open(() => new Promise(() => undefined)));
  await expect(readAll(failing)).rejects.toThrow('gone');
  expect(openStreams.count()).toBe(1);
  openStreams.endAll();
  await waiting;
  expect(openStreams.count()).toBe(0);
});
