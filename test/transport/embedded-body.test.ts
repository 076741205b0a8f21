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
