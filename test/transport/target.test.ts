import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openEmbedded } from './embedded.ts';
import { connect } from './raw-socket.ts';
import { sendRaw } from './raw.ts';

/** How the request lines and headers that clients send are interpreted. */

const BODY = '{"query":"{ __typename }"}';
const SEARCH = '?query=%7B__typename%7D';
const JSON_TYPE = 'content-type: application/json';
const DATA = '"data":{"__typename":"Query"}';
/** If any host is served, what the Host header says must not matter. */
const ANY_HOST = { env: { ALLOWED_HOSTS: '*' } };

/** The first is what curl asks for, the second what a client of another protocol does. */
const UPGRADES = [
  ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'],
  ['connection: Upgrade', 'upgrade: foo/2, websocket'],
];

const WAYS = [
  ['its own server', async () => (await open(ANY_HOST)).url],
  ['another server', () => openEmbedded(ANY_HOST.env)],
] as const;
const CASES = UPGRADES.flatMap((upgrade) => WAYS.map(([of, start]) => ({ upgrade, of, start })));

test.for(CASES)(
  '$of ignores a requested upgrade to another protocol: $upgrade',
  async ({ upgrade, start }) => {
    const url = await start();
    const head = (line: string) => [line, 'host: gateway', ...upgrade, 'connection: close'];
    const post = [...head('POST /graphql HTTP/1.1'), JSON_TYPE];
    for (const reply of [
      await sendRaw(url, post, BODY),
      await sendRaw(url, head(`GET /graphql${SEARCH} HTTP/1.1`)),
    ]) {
      expect(reply).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(reply).toContain(DATA);
    }
    expect(await sendRaw(url, head('GET /health HTTP/1.1'))).toContain('"status":"ok"');
  },
);

test.for(['POST /graphql', 'GET /health'])(
  'a WebSocket is opened only by GET on /graphql: %s is an ordinary request',
  async (line) => {
    const { url } = await open(ANY_HOST);
    const upgrade = ['connection: Upgrade, close', 'upgrade: websocket'];
    const lines = [`${line} HTTP/1.1`, 'host: gateway', ...upgrade, JSON_TYPE];
    expect(await sendRaw(url, lines, BODY)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  },
);

test.for(WAYS)('%s: a slash at the end of the path does not matter', async ([, start]) => {
  const url = await start();
  const lines = ['POST /graphql/ HTTP/1.1', 'host: gateway', 'connection: close', JSON_TYPE];
  expect(await sendRaw(url, lines, BODY)).toContain(DATA);
  expect((await connect(new URL('/graphql/', url).href)).status).toBe(101);
});

test.for(['[', 'a b', 'host:port', 'user@host', 'a/b', '256.256.256.256', 'a:99999'])(
  'an invalid Host header is a 400, and reveals nothing of the server: %s',
  async (host) => {
    const { url } = await open(ANY_HOST);
    const head = (line: string) => [line, `host: ${host}`, 'connection: close'];
    for (const reply of [
      await sendRaw(url, head(`GET /graphql${SEARCH} HTTP/1.1`)),
      await sendRaw(url, [...head('POST /graphql HTTP/1.1'), JSON_TYPE], BODY),
    ]) {
      expect(reply).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(reply).toContain('"code":"BAD_REQUEST"');
      expect(reply).toContain('"usage":');
      expect(reply).not.toMatch(/node_modules|node:internal|\bat /);
    }
  },
);

test.for(['gateway', 'gateway:80', '127.0.0.1', '[::1]:4000', 'a_b.example'])(
  'a Host header may be any name or address: %s',
  async (host) => {
    const { url } = await open(ANY_HOST);
    const lines = [`GET /graphql${SEARCH} HTTP/1.1`, `host: ${host}`, 'connection: close'];
    expect(await sendRaw(url, lines)).toContain(DATA);
  },
);

test('a target in absolute form means the same as its path', async () => {
  const { url } = await open(ANY_HOST);
  const ask = (line: string) =>
    sendRaw(url, [`${line} HTTP/1.1`, 'host: a:1', 'connection: close']);
  expect(await ask(`GET http://a/graphql${SEARCH}`)).toContain(DATA);
  expect(await ask(`GET HTTPS://a:1/graphql${SEARCH}`)).toContain(DATA);
  expect(await ask('GET http://a/health')).toContain('"status":"ok"');
  expect(await ask('GET http://a')).toMatch(/^HTTP\/1.1 404 /);
  expect(await ask('OPTIONS *')).toMatch(/^HTTP\/1.1 400 /);
});

test.for([
  ['host: 127.0.0.1:80@evil', '400 Bad Request'],
  ['host: localhost:evil', '400 Bad Request'],
  ['content-encoding: gzip', '415 Unsupported Media Type'],
  ['content-type: text/plain', '415 Unsupported Media Type'],
  ['x-graphql-event-stream-token: token', '405 Method Not Allowed'],
])(
  'a request that must be refused is refused even if its answer is kept: %s',
  async ([header, status]) => {
    const { url } = await open();
    const usual = ['POST /graphql HTTP/1.1', JSON_TYPE, 'host: localhost', 'connection: close'];
    for (let times = 0; times < 3; times += 1)
      expect(await sendRaw(url, usual, BODY)).toContain(DATA);
    const [name = ''] = header!.split(' ');
    const others = usual.filter((line) => !line.startsWith(name));
    const reply = await sendRaw(url, [...others, header!], BODY);
    expect(reply.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expect(reply).not.toContain('"data"');
  },
);
