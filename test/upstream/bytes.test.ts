import { expect, test } from 'vitest';
import { open } from './opened.ts';

test('a request is told with the bytes of its answer, not with its characters', async () => {
  const { ask, ends, sandbox } = await open();
  const body = JSON.stringify({ success: true, data: [{ symbol: 'ş'.repeat(1000) }] });
  sandbox.fault({ kind: 'status', status: 200, body });
  await ask('crypto');
  expect(ends[0]?.bytes).toBe(Buffer.byteLength(body));
});
