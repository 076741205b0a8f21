import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** How clients send the body of a POST. */

const BODY = '{"query":"{ __typename }"}';
const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  body,
});

test.for([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body compressed by %s is refused, and told why', async ([coding, compress]) => {
  const { send } = await open();
  const body = new Uint8Array(compress(BODY));
  const { status, errors, headers } = await send(post({ 'content-encoding': coding }, body));
  expect(status).toBe(415);
  expect(errors).toMatchObject([{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
  expect(errors[0]?.message).toContain('Content-Encoding');
  expect(headers.get('accept-encoding')).toBe('identity');
});

test('a body that says that it is not compressed is read', async () => {
  const { send } = await open();
  const { data } = await send(post({ 'content-encoding': 'identity' }, BODY));
  expect(data).toEqual({ __typename: 'Query' });
});
