import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { expectEvents } from '../live/gateway.ts';
import { openSocket } from '../live/socket.ts';
import { openKeys, post, request } from './clients.ts';
import { endOf, LIVE, socketOf, UNAUTHORIZED } from './listening.ts';

/** Keys over WebSocket. */

const TYPE = '{ __typename }';

describe('over WebSocket a key', () => {
  test.each<[string, (key: string) => object]>([
    ['Authorization', (key) => ({ Authorization: `Bearer ${key}` })],
    ['authorization', (key) => ({ authorization: `bearer ${key}` })],
    ['x-api-key', (key) => ({ 'x-api-key': key })],
    ['X-API-Key', (key) => ({ 'X-API-Key': ` ${key} ` })],
    ['headers.Authorization', (key) => ({ headers: { Authorization: `Bearer ${key}` } })],
    ['headers.x-api-key', (key) => ({ Headers: { 'x-api-key': key } })],
  ])('is taken from the payload: %s', async (_name, payloadWith) => {
    const { bench, keyOf } = await openKeys([{ name: 'web' }], { unreadUnits: 1 });
    const socket = openSocket(bench.url, {}, { ...payloadWith(keyOf['web']!) });
    const asked = socket.subscribe(TYPE);
    expect(await endOf(asked)).toBe(undefined);
    expect(asked.events[0]?.extensions.usage.client?.name).toBe('web');
    await expectEvents([socket.subscribe(LIVE)], 1);
  });

  test.each<[string, (key: string) => Record<string, string>]>([
    ['authorization', (key) => ({ authorization: `Bearer ${key}` })],
    ['x-api-key', (key) => ({ 'x-api-key': key })],
  ])('is taken from the header %s of the upgrade', async (_name, headersWith) => {
    const { bench, keyOf } = await openKeys([{ name: 'web' }]);
    const asked = openSocket(bench.url, headersWith(keyOf['web']!)).subscribe(TYPE);
    expect(await endOf(asked)).toBe(undefined);
    expect(asked.events[0]?.extensions.usage.client?.name).toBe('web');
  });

  test.each<[string, Record<string, unknown>]>([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer mg_wrong' }],
    ['another scheme', { authorization: 'Basic bWc6bWc=' }],
    ['not a text', { 'x-api-key': ['mg_wrong'], headers: null }],
  ])(
    'that is missing or wrong closes the connection with 4401, and nothing runs: %s',
    async (_name, payload) => {
      const { bench } = await openKeys([{ name: 'web' }]);
      const asked = openSocket(bench.url, {}, payload).subscribe(LIVE);
      expect(await endOf(asked)).toBe(UNAUTHORIZED);
      expect(asked.events).toEqual([]);
      expect(bench.sandbox.requests()).toEqual([]);
    },
  );

  test('a wrong one in the payload is not made up for by a header', async () => {
    const { bench, headersOf } = await openKeys([{ name: 'web' }]);
    const socket = openSocket(bench.url, headersOf('web'), { authorization: 'Bearer mg_wrong' });
    expect(await endOf(socket.subscribe(TYPE))).toBe(UNAUTHORIZED);
  });

  test.each(['x-api-key', 'authorization', 'apiKey'])(
    'is looked for elsewhere if %s is empty in the payload',
    async (name) => {
      const { bench, headersOf } = await openKeys([{ name: 'web' }]);
      const empty = { [name]: ' ' };
      const inUpgrade = openSocket(bench.url, headersOf('web'), empty);
      expect(await endOf(inUpgrade.subscribe(TYPE))).toBe(undefined);
      const below = openSocket(bench.url, {}, { ...empty, headers: headersOf('web') });
      expect(await endOf(below.subscribe(TYPE))).toBe(undefined);
    },
  );

  test('that is missing from a very deep payload closes the connection with 4401, too', async () => {
    const { bench } = await openKeys([{ name: 'web' }]);
    const levels = 650;
    const deep = `${'{"headers":0,"Headers":'.repeat(levels)}{}${'}'.repeat(levels)}`;
    const socket = new WebSocket(bench.url.replace('http', 'ws'), 'graphql-transport-ws');
    socket.on('open', () => socket.send(`{"type":"connection_init","payload":${deep}}`));
    const code = await new Promise((resolve) => void socket.once('close', resolve));
    expect(code).toBe(UNAUTHORIZED);
    expect(bench.log()).not.toContain('WebSocket');
  });

  test('may only be used from the origins of its client', async () => {
    const keys = await openKeys(
      [
        { name: 'page', origins: ['https://app.example'] },
        { name: 'other', origins: ['https://other.example'] },
        { name: 'program' },
      ],
      { env: { CORS_ORIGINS: 'https://listed.example' } },
    );
    const from = (origin: string, client: string) => {
      const socket = openSocket(keys.bench.url, { origin }, keys.headersOf(client));
      return endOf(socket.subscribe(TYPE));
    };
    expect(await from('https://app.example', 'page')).toBe(undefined);
    expect(await from('https://other.example', 'other')).toBe(undefined);
    expect(await from('https://listed.example', 'program')).toBe(undefined);
    expect(await from('https://other.example', 'page')).toBe(UNAUTHORIZED);
    expect(await from('https://listed.example', 'page')).toBe(UNAUTHORIZED);
    expect(await from('https://app.example', 'program')).toBe(UNAUTHORIZED);
    expect(await endOf(socketOf(keys, 'page').subscribe(TYPE))).toBe(undefined);
    expect(await from('https://evil.example', 'page')).toBe('Unexpected server response: 403');
  });

  test('may no longer be used from an origin that its client has lost, not even over an open connection', async () => {
    const page = { name: 'page', origins: ['https://app.example'] };
    const keys = await openKeys([page], { unreadUnits: 1 });
    const { bench, headersOf, write } = keys;
    const socket = openSocket(bench.url, { origin: 'https://app.example' }, headersOf('page'));
    const live = socket.subscribe(LIVE);
    await expectEvents([live], 1);
    expect(await endOf(socket.subscribe(TYPE))).toBe(undefined);
    write([{ ...page, origins: ['https://other.example'] }]);
    await expect.poll(() => bench.log()).toContain('reloaded');
    expect(await endOf(socket.subscribe(TYPE))).toEqual(['FORBIDDEN_ORIGIN']);
    expect(await endOf(socketOf(keys, 'page').subscribe(TYPE))).toBe(undefined);
    live.leave();
  });

  test('has its operations counted: those beyond the limit are refused, and the connection stays open', async () => {
    const keys = await openKeys([{ name: 'web', operationsPerMinute: 3 }, { name: 'app' }], {
      unreadUnits: 1,
    });
    const web = socketOf(keys, 'web');
    const live = web.subscribe(LIVE);
    await expectEvents([live], 1);
    expect((await keys.ask('web', TYPE)).status).toBe(200);
    expect(await endOf(web.subscribe(TYPE))).toBe(undefined);
    expect(await endOf(web.subscribe(TYPE))).toEqual(['CLIENT_RATE_EXCEEDED']);
    expect(await endOf(web.subscribe(LIVE))).toEqual(['CLIENT_RATE_EXCEEDED']);
    const { status } = await request(keys.bench.url, post(TYPE, keys.headersOf('web')));
    expect(status).toBe(429);
    expect(await endOf(socketOf(keys, 'app').subscribe(TYPE))).toBe(undefined);
    keys.bench.clock.advance(61_000);
    expect(await endOf(web.subscribe(TYPE))).toBe(undefined);
    live.leave();
  });

  test('persistedOnly: what is not listed is refused', async () => {
    const keys = await openKeys([{ name: 'mobile', persistedOnly: true }]);
    const socket = socketOf(keys, 'mobile');
    expect(await endOf(socket.subscribe(TYPE))).toEqual(['PERSISTED_QUERY_ID_REQUIRED']);
    expect(await endOf(socket.subscribe(LIVE))).toEqual(['PERSISTED_QUERY_ID_REQUIRED']);
  });
});
