import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { sendRaw } from './raw.ts';

/** What clients write on the first line and in the headers of a request, and what is made of it. */

const BODY = '{"query":"{ __typename }"}';
const SEARCH = '?query=%7B__typename%7D';
const JSON_TYPE = 'content-type: application/json';
const DATA = '"data":{"__typename":"Query"}';

/** The first is curl's own wish, the second that of a client of something else. */
const UPGRADES = [
  ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'],
  ['connection: Upgrade', 'upgrade: foo/2, websocket'],
];

test.for(UPGRADES)('a wish for another protocol is ignored: %s', async (upgrade) => {
  const { url } = await open();
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
});

test.for(['POST /graphql', 'GET /health'])(
  'a WebSocket is opened by GET on /graphql alone, %s is an ordinary request',
  async (line) => {
    const { url } = await open();
    const upgrade = ['connection: Upgrade, close', 'upgrade: websocket'];
    const lines = [`${line} HTTP/1.1`, 'host: gateway', ...upgrade, JSON_TYPE];
    expect(await sendRaw(url, lines, BODY)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  },
);
