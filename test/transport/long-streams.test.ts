import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { writeStream } from '../../src/transport/bodies.ts';
import { createWaitingBytes } from '../../src/transport/waiting-bytes.ts';
import { growthOf } from './memory.ts';

/** Streams that are open for a long time. */

const LIMITS = { maxWaitingBytes: 1e6, maxWaitingBytesPerConnection: 1e6 };
const FIRST = 1000;
const COUNT = 50_000;

test('a stream that has often waited for its client keeps nothing of that while it is open', async () => {
  let written = 0;
  const more = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (written === FIRST) await more.promise;
      if (written === COUNT) return;
      written += 1;
      controller.enqueue(new Uint8Array(1));
    },
  });
  // Each byte is one too many for such a response, so each is waited for.
  const server = createServer({ highWaterMark: 1 }, (_request, response) => {
    void writeStream(response, body, createWaitingBytes(LIMITS));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const request = get({ port: Object(server.address()).port, host: '127.0.0.1' });
  onTestFinished(() => void request.destroy());
  const [reply] = await once(request, 'response');
  reply.on('error', () => undefined).resume();
  await expect.poll(() => written, { timeout: 10_000 }).toBe(FIRST);
  const growth = await growthOf(async () => {
    more.resolve();
    await expect.poll(() => written, { timeout: 60_000 }).toBe(COUNT);
  });
  expect(growth).toBeLessThan(5);
});
