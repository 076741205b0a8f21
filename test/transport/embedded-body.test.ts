import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Bodies that reach an embedded gateway through the Fetch API. */

const bytewise = (text: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });

test('a body that another part has read is reported as missing', async () => {
  const { url, fetch: ask } = await open();
  const headers = { 'content-type': 'application/json' };
  const request = new Request(url, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
  await request.text();
  const reply = await ask(request);
  expect(reply.status).toBe(400);
  expect(await reply.text()).toContain('it may have consumed the body');
});

test.for([
  [19_000, 200],
  [30_000, 413],
] as const)('a body of %i chunks is answered with %i', async ([chunks, status]) => {
  const { url, fetch: ask } = await open();
  const headers = { 'content-type': 'application/json' };
  const body = bytewise('{"query":"{ __typename }"}'.padEnd(chunks));
  // Node requires `duplex`, which the types of browsers do not know.
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  expect((await ask(new Request(url, init))).status).toBe(status);
});
