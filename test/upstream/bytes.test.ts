import { expect, test } from 'vitest';
import { ENDPOINTS, open } from './opened.ts';

test('a request and its answer are measured in bytes, not in characters', async () => {
  const { client, begin, ends, sandbox } = await open();
  const body = JSON.stringify({ success: true, data: [{ symbol: 'ş'.repeat(1000) }] });
  sandbox.fault({ kind: 'status', status: 200, body });
  const { endpoint, target } = ENDPOINTS.crypto;
  const received = await client.fetch(endpoint, () => target, begin());
  expect(ends[0]?.bytes).toBe(Buffer.byteLength(body));
  expect(received?.answer.bytes).toBe(Buffer.byteLength(body));
});
