import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { sendRaw } from './raw.ts';

/** The connection determines how a reply is framed, even if Yoga has written the reply. */

test.each([
  ['multipart/mixed', '{ __typename }'],
  ['text/event-stream', '{ __typename '],
])('a client that asks for a closed connection gets one with %s, too', async (accept, query) => {
  const { url } = await open();
  const body = JSON.stringify({ query });
  const lines = [
    'POST /graphql HTTP/1.0',
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `accept: ${accept}`,
  ];
  const [head = ''] = (await sendRaw(url, lines, body)).split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('connection: close');
  expect(head.toLowerCase()).not.toMatch(/keep-alive|transfer-encoding|content-encoding/);
});
