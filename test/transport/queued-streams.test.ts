import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { writeStream } from '../../src/transport/bodies.ts';
import { createWaitingBytes } from '../../src/transport/waiting-bytes.ts';

/** Streams whose response still waits for an earlier one of its connection, since both were requested in one go. */

test('such a stream ends with the connection', async () => {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  const cancelled = Promise.withResolvers<string>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve('cancelled') });
  const limits = { maxWaitingBytes: 1000, maxWaitingBytesPerConnection: 1000 };
  const written = writeStream(response, body, createWaitingBytes(limits));
  socket.destroy();
  expect(await cancelled.promise).toBe('cancelled');
  await written;
});
