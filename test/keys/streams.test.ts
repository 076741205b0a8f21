import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { temporaryFolder } from '../harness.ts';
import { expectEvents } from '../live/gateway.ts';
import { openSse } from '../live/sse.ts';
import { write } from '../persisted/gateway.ts';
import { openKeys, post, request } from './clients.ts';
import { listen, LIVE } from './listening.ts';

/** Keys over server-sent events, and for answers in several parts. */

const EVENTS = { accept: 'text/event-stream' };
const MULTIPART = { accept: 'multipart/mixed' };

const NOT_KEYS: Record<string, string>[] = [{}, { authorization: 'Bearer mg_wrong' }];

describe('over server-sent events a key', () => {
  test.each(['GET', 'POST'] as const)('is taken from a header: %s', async (method) => {
    const { bench, keyOf, headersOf } = await openKeys([{ name: 'web' }], { unreadUnits: 1 });
    const all = [
      await listen(bench.url, headersOf('web'), method),
      await listen(bench.url, { 'x-api-key': keyOf['web']! }, method),
    ];
    await expectEvents(all, 1);
    for (const { events } of all) expect(events[0]?.extensions.usage.client?.name).toBe('web');
  });

  test('none or a wrong one is refused in JSON, and nothing runs', async () => {
    const { bench } = await openKeys([{ name: 'web' }]);
    for (const key of NOT_KEYS) {
      const { status, headers, body } = await request(bench.url, post(LIVE, { ...EVENTS, ...key }));
      expect([status, headers.get('content-type')]).toEqual([401, 'application/json']);
      expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
    expect(bench.sandbox.requests()).toEqual([]);
  });

  test('may only be used from the origins of its client, and only as often as allowed', async () => {
    const { bench, headersOf } = await openKeys(
      [{ name: 'page', origins: ['https://app.example'], operationsPerMinute: 2 }],
      { unreadUnits: 1 },
    );
    const from = (origin: string) => ({ ...EVENTS, ...headersOf('page'), origin });
    const refused = await request(bench.url, post(LIVE, from('https://evil.example')));
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([
      403,
      'FORBIDDEN_ORIGIN',
    ]);
    await expectEvents([await listen(bench.url, from('https://app.example'))], 1);
    const { status, headers } = await request(bench.url, post(LIVE, from('https://app.example')));
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test('persistedOnly: a listed subscription is served, others are refused', async () => {
    const manifest = write(temporaryFolder(), 'manifest.json', { [sha256(LIVE)]: LIVE });
    const { bench, headersOf } = await openKeys([{ name: 'mobile', persistedOnly: true }], {
      env: { PERSISTED_DOCUMENTS: manifest },
      unreadUnits: 1,
    });
    await expectEvents([await listen(bench.url, headersOf('mobile'))], 1);
    const other = await openSse(bench.url, { query: `${LIVE} ` }, 'POST', headersOf('mobile'));
    await other.ended;
    expect(other.events[0]?.errors[0]?.extensions.code).toBe('PERSISTED_QUERY_ID_REQUIRED');
  });
});

describe('for an answer in several parts a key', () => {
  const TYPE = '{ __typename }';

  test('is taken from a header', async () => {
    const { bench, headersOf } = await openKeys([{ name: 'web' }]);
    const reply = await fetch(bench.url, post(TYPE, { ...MULTIPART, ...headersOf('web') }));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('multipart/mixed'),
    ]);
    expect(await reply.text()).toContain('"client":{"name":"web"');
  });

  test.each(NOT_KEYS)('none or a wrong one is refused: %o', async (key) => {
    const { bench } = await openKeys([{ name: 'web' }]);
    const { status, body } = await request(bench.url, post(TYPE, { ...MULTIPART, ...key }));
    expect([status, body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  test('opens no stream: live updates are not sent in parts', async () => {
    const { bench, headersOf } = await openKeys([{ name: 'web' }]);
    const { status, errors } = await bench.send(post(LIVE, { ...MULTIPART, ...headersOf('web') }));
    expect([status, errors[0]?.extensions.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  });
});
