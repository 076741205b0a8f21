import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { writeStream } from '../../src/transport/bodies.ts';
import { createWaitingBytes } from '../../src/transport/waiting-bytes.ts';

/** Streams whose response still waits for an earlier one of its connection, since both were requested in one go. */

function begin() {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  const cancelled = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({
    start: begun.resolve,
    cancel: () => cancelled.resolve('cancelled'),
  });
  const limits = { maxWaitingBytes: 1e6, maxWaitingBytesPerConnection: 1e6 };
  const written = writeStream(response, body, createWaitingBytes(limits));
  return { socket, response, written, begun: begun.promise, cancelled: cancelled.promise };
}

test('such a stream ends with the connection', async () => {
  const { socket, written, cancelled } = begin();
  socket.destroy();
  expect(await cancelled).toBe('cancelled');
  await written;
});

test('it does so, too, if the connection ends while data are on their way', async () => {
  const { socket, written, begun, cancelled } = begin();
  const controller = await begun;
  controller.enqueue(new Uint8Array(100_000));
  socket.destroy();
  expect(await cancelled).toBe('cancelled');
  await written;
});

test('it ends if another part of the server has ended the response', async () => {
  const { response, written, begun, cancelled } = begin();
  const controller = await begun;
  response.end();
  // An unhandled error would fail this test.
  controller.enqueue(new Uint8Array(1));
  controller.enqueue(new Uint8Array(1));
  expect(await cancelled).toBe('cancelled');
  await written;
});
