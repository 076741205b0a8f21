import { expect, test } from 'vitest';
import { connect, open } from '../harness.ts';
import { open as openLive, requestsWithin } from '../live/gateway.ts';

/** If no answer in an accepted media type is possible, a request is refused before it costs anything. */

const TTL_MS = 150;
const SUBSCRIPTION = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
const RATES = '{ fxRates { totalCount } }';

const search = (query: string) => `?${String(new URLSearchParams({ query }))}`;
const requestOf = (method: string, query: string, accept: string): [RequestInit, string] =>
  method === 'GET'
    ? [{ headers: { accept } }, search(query)]
    : [
        {
          method,
          headers: { 'content-type': 'application/json', accept },
          body: JSON.stringify({ query }),
        },
        '',
      ];

const REFUSED = [
  ['POST', 'application/json'],
  ['GET', 'application/json'],
  ['POST', 'application/graphql-response+json'],
  ['POST', 'multipart/mixed;subscriptionSpec=1.0, application/json'],
  ['GET', 'multipart/mixed'],
  ['POST', 'text/event-stream;charset=latin1'],
  ['POST', 'image/png'],
] as const;

test.for(REFUSED)(
  'a subscription by %s that accepts only %s does not run',
  async ([method, accept]) => {
    const live = await openLive({ env: { TTL_CRYPTO: '0.15' } });
    const { send } = connect(live.url);
    const { status, errors, headers } = await send(...requestOf(method, SUBSCRIPTION, accept));
    expect(status).toBe(406);
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_ACCEPTABLE', retryable: false } }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await requestsWithin(live, TTL_MS)).toBe(0);
    expect(live.sandbox.requests()).toEqual([]);
  },
);

test.for(['GET', 'POST'])('a query by %s that accepts no answer costs nothing', async (method) => {
  const { send, sandbox } = await open();
  const { status, data, errors, headers } = await send(...requestOf(method, RATES, 'image/png'));
  expect([status, data]).toEqual([406, undefined]);
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_ACCEPTABLE', retryable: false } }]);
  expect(errors[0]?.message).toContain('application/json');
  expect(headers.get('content-type')).toContain('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(sandbox.requests()).toEqual([]);
});

test('a request that cannot be read gets an error in JSON, whatever it accepts', async () => {
  const { send } = await open();
  const headers = { 'content-type': 'application/json', accept: 'image/png' };
  const { status, errors } = await send({ method: 'POST', headers, body: '{' });
  expect(status).toBe(400);
  expect(errors).toHaveLength(1);
});

test.for([
  '*/*',
  'application/*',
  'APPLICATION/JSON',
  'image/png, application/json; charset=UTF-8',
  'application/json; charset=utf8',
])('a query that accepts %s is served', async (accept) => {
  const { send } = await open();
  expect(await send(...requestOf('POST', RATES, accept))).toMatchObject({ status: 200 });
});

test.for(['application/json', 'multipart/mixed', 'text/event-stream'])(
  'the answer to a GET accepting %s says that it depends on Accept',
  async (accept) => {
    const { url } = await open({ unreadUnits: 1 });
    const response = await fetch(url + search(RATES), { headers: { accept } });
    expect(response.headers.get('content-type')).toContain(accept);
    expect(response.headers.get('vary')).toContain('Accept');
    await response.text();
  },
);

test.for([
  ['a compressed body', { 'content-encoding': 'gzip' }, '{"query":"{ __typename }"}', 415],
  ['what is no JSON', {}, '{"query": secret', 400],
  ['another media type', { 'content-type': 'text/plain' }, '{ __typename }', 415],
] as const)(
  'a client that accepts only multipart results is told what is wrong with its request: %s',
  async ([, more, body, status]) => {
    const { send } = await open();
    const headers = { 'content-type': 'application/json', accept: 'multipart/mixed', ...more };
    const reply = await send({ method: 'POST', headers, body });
    expect([reply.status, reply.data]).toEqual([status, undefined]);
    expect(JSON.stringify(reply.errors)).not.toMatch(/secret|originalError/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  },
);

test('a media type with a weight of zero is not accepted', async () => {
  const { send } = await open();
  const accept = 'application/json;q=0, application/graphql-response+json;q=0.5, */*;q=0.1';
  const { headers } = await send(...requestOf('POST', RATES, accept));
  expect(headers.get('content-type')).toContain('application/graphql-response+json');
  const nothing = 'application/json;q=0, application/graphql-response+json;q=0.0';
  expect(await send(...requestOf('POST', RATES, nothing))).toMatchObject({ status: 406 });
});

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';

test.for([
  [`${JSON_TYPE};q=0.1, ${RESPONSE_TYPE};q=0.9`, RESPONSE_TYPE],
  [`${RESPONSE_TYPE};q=0.1, ${JSON_TYPE}`, JSON_TYPE],
  [`*/*;q=0.1, ${RESPONSE_TYPE}`, RESPONSE_TYPE],
  [`${JSON_TYPE};q=0.1, */*;q=0.9`, RESPONSE_TYPE],
  [`application/*;q=0.2, ${JSON_TYPE};q=0.1`, RESPONSE_TYPE],
  // As Apollo Client and others send them, and clients that state nothing.
  [`${RESPONSE_TYPE},${JSON_TYPE};q=0.9`, RESPONSE_TYPE],
  [`${RESPONSE_TYPE}, ${JSON_TYPE}`, RESPONSE_TYPE],
  [`${JSON_TYPE}, ${RESPONSE_TYPE}`, JSON_TYPE],
  [`${RESPONSE_TYPE}, */*`, RESPONSE_TYPE],
  [`${JSON_TYPE}, text/plain, */*`, JSON_TYPE],
  ['*/*', JSON_TYPE],
] as const)('the preferred media type is sent: %s', async ([accept, expected]) => {
  const { send } = await open();
  const { headers } = await send(...requestOf('POST', RATES, accept));
  expect(headers.get('content-type')).toBe(`${expected}; charset=utf-8`);
});

test.for([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  [`${JSON_TYPE}, text/html`, 'text/html'],
  ['text/html', 'text/html'],
  [`${JSON_TYPE}, text/html;q=0.1`, JSON_TYPE],
  [`text/html;q=0, ${JSON_TYPE}`, JSON_TYPE],
] as const)(
  'a GET gets the page unless JSON is the preferred type: %s',
  async ([accept, expected]) => {
    const { url } = await open();
    const response = await fetch(url + search('{ __typename }'), { headers: { accept } });
    expect(response.headers.get('content-type')).toContain(expected);
    await response.text();
  },
);

test('a query is answered as an event only if JSON is not accepted, whatever the weights', async () => {
  const { url } = await open();
  const typeFor = async (accept: string) => {
    const { headers } = await fetch(url + search('{ __typename }'), { headers: { accept } });
    return headers.get('content-type')?.split(';')[0];
  };
  expect(await typeFor('text/event-stream, application/json;q=0.5')).toBe('application/json');
  expect(await typeFor('text/event-stream, application/json;q=0')).toBe('text/event-stream');
});

test('HEAD of a subscription tells how it would be sent, and opens no stream', async () => {
  const live = await openLive({ env: { TTL_CRYPTO: '0.15' } });
  const init = { method: 'HEAD', headers: { accept: 'text/event-stream, application/json' } };
  const { status, headers } = await fetch(live.url + search(SUBSCRIPTION), init);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const before = await requestsWithin(live, TTL_MS);
  expect([before <= 1, await requestsWithin(live, 3 * TTL_MS)]).toEqual([true, 0]);
});

test.for(['text/event-stream', 'multipart/mixed'])(
  'HEAD of an answer that could only be sent as %s is refused: it could not state its cost',
  async (accept) => {
    const { url, sandbox } = await open();
    const { status } = await fetch(url + search(RATES), { method: 'HEAD', headers: { accept } });
    expect(status).toBe(405);
    expect(sandbox.requests()).toEqual([]);
  },
);

test('a refusal of an unreadable request goes out as the only event of a stream with status 200', async () => {
  const { url } = await open();
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const reply = await fetch(url, { method: 'POST', headers, body: '{' });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(reply.headers.get('vary')).toContain('Accept');
  expect(await reply.text()).toMatch(/event: next\ndata: {"errors":.*"BAD_REQUEST"/);
});
