import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { writeStream } from '../../src/transport/bodies.ts';
import { createWaitingBytes } from '../../src/transport/waiting-bytes.ts';
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
] as const)('a body compressed with %s is refused with the reason', async ([coding, compress]) => {
  const { send } = await open();
  const body = new Uint8Array(compress(BODY));
  const { status, errors, headers } = await send(post({ 'content-encoding': coding }, body));
  expect(status).toBe(415);
  expect(errors).toMatchObject([{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
  expect(errors[0]?.message).toContain('Content-Encoding');
  expect(headers.get('accept-encoding')).toBe('identity');
});

test('a body that is declared uncompressed is read', async () => {
  const { send } = await open();
  const { data } = await send(post({ 'content-encoding': 'identity' }, BODY));
  expect(data).toEqual({ __typename: 'Query' });
});

test.for([
  'Application/JSON',
  'application/json ;charset=utf-8',
  ' APPLICATION/graphql+json\t;a=b',
  // As if the header were sent twice.
  'application/json, application/json',
])('JSON is read however its media type is written: %s', async (type) => {
  const { send } = await open();
  for (const query of ['{ __typename }', '{ __typename }', '{ fxRates { __typename } }']) {
    const body = JSON.stringify({ query });
    const { status, data } = await send(post({ 'content-type': type }, body));
    expect([status, data]).toMatchObject([200, {}]);
  }
});

test.for(['text/plain', 'application/jsonp', 'multipart/form-data; boundary=a'])(
  'a body of another media type is refused with the types that can be read: %s',
  async (type) => {
    const { send } = await open();
    const { status, errors } = await send(post({ 'content-type': type }, BODY));
    expect(status).toBe(415);
    expect(errors).toMatchObject([{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }]);
    expect(errors[0]?.message).toContain('application/json');
  },
);

test.for(['{"query": secret', 'secret', '"secret"', '5', 'null'])(
  'a body that is no JSON object is a 400 that does not repeat it: %s',
  async (body) => {
    const { send } = await open();
    const { status, errors } = await send(post({}, body));
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
    expect(JSON.stringify(errors)).not.toMatch(/secret|originalError/);
  },
);

test.for([
  ['reserving a stream', { method: 'PUT' }],
  ['using one', post({ 'x-graphql-event-stream-token': 'a' }, BODY)],
  ['ending an operation', { method: 'DELETE', headers: { 'x-graphql-event-stream-token': 'a' } }],
] as const)('graphql-sse is told which of its modes is served: %s', async ([, init]) => {
  const { send } = await open();
  const { status, errors, headers } = await send(init);
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  expect(errors[0]?.message).toContain('distinct connections mode');
});

const RATES = '{ fxRates { totalCount } }';
const form = (fields: Record<string, string>) => String(new URLSearchParams(fields));
const RESPONSE_TYPE = 'application/graphql-response+json';

/** How a query is sent in each media type, besides JSON. */
const MEDIA_TYPES: [string, (query: string) => string][] = [
  ['application/graphql', (query) => query],
  ['application/x-www-form-urlencoded', (query) => form({ query })],
];

test.for(MEDIA_TYPES)('%s is answered as JSON is', async ([type, bodyOf]) => {
  const { send, sandbox } = await open();
  const ask = (accept: string, query: string) =>
    send(post({ 'content-type': type, accept }, bodyOf(query)));
  const refused = await ask('image/png', RATES);
  expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  expect(sandbox.requests()).toEqual([]);
  const wrong = await ask(RESPONSE_TYPE, '{ nope }');
  expect([wrong.status, wrong.headers.get('content-type')]).toEqual([
    400,
    `${RESPONSE_TYPE}; charset=utf-8`,
  ]);
  const asked = await ask(RESPONSE_TYPE, RATES);
  const kept = await ask(RESPONSE_TYPE, RATES);
  for (const { status, data, headers } of [asked, kept]) {
    expect([status, data]).toMatchObject([200, { fxRates: {} }]);
    expect(headers.get('content-type')).toContain(RESPONSE_TYPE);
  }
  expect(sandbox.requests()).toHaveLength(1);
});

test.for(MEDIA_TYPES)(
  '%s is answered as multipart if only multipart is accepted',
  async ([type, bodyOf]) => {
    const { url } = await open();
    const headers = { 'content-type': type, accept: 'multipart/mixed' };
    const init = { method: 'POST', headers, body: bodyOf('{ __typename }') };
    const response = await fetch(url, init);
    expect(response.headers.get('content-type')).toContain('multipart/mixed');
    expect(await response.text()).toContain('{"__typename":"Query"}');
  },
);

test('JSON that is sent as a form, as by curl without a header, is reported as such', async () => {
  const { send } = await open();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, errors } = await send(post(headers, `\n${BODY}`));
  expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
  expect(errors[0]?.message).toContain('send content-type: application/json');
});

test.for(['variables', 'extensions'])('a form whose %s are not JSON is a 400', async (name) => {
  const { send } = await open();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = form({ query: '{ __typename }', [name]: 'xx' });
  for (const accept of ['application/json', RESPONSE_TYPE, 'multipart/mixed']) {
    const { status, errors } = await send(post({ ...headers, accept }, body));
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
  }
});

test.for(['variables', 'extensions'])(
  'a form whose %s are nested deeply does no harm',
  async (name) => {
    const { send, log } = await open();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const nested = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { status } = await send(post(headers, form({ query: '{ __typename }', [name]: nested })));
    expect(status).toBeLessThan(500);
    expect(log()).not.toContain('unexpected error');
  },
);

test.for([
  ['1048577', 'HTTP/1.1 413'],
  [String(BODY.length), 'HTTP/1.1 100'],
])('asking whether to send a body of %s bytes is answered at once', async ([length, answer]) => {
  const { url } = await open();
  const lines = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'connection: close',
    'expect: 100-continue',
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([...lines, '', ''].join('\r\n'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(String(first)).toContain(answer);
  socket.destroy();
});

test('a stream that fails ends its connection, and nothing else', async () => {
  const waitingBytes = createWaitingBytes({
    maxWaitingBytes: 1000,
    maxWaitingBytesPerConnection: 1000,
  });
  const server = createServer((_request, response) => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('it has failed'));
      },
    });
    writeStream(response, body, waitingBytes).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = Object(server.address());
  // An unhandled rejection would fail this test.
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});
