import { createServer, request as plainRequest } from 'node:http';
import { once } from 'node:events';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fetch as undiciFetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { encodingFor } from '../../src/encoding.ts';
import { CODINGS } from '../../src/pipeline/compression.ts';
import { listen } from '../../src/transport/node.ts';
import { hasBrowser, launchBrowser } from '../browser.ts';

/** Answers are compressed for clients that accept it, and have the same content as uncompressed ones. */

const LAWS = `{ legislationChanges(first: 100, filter: { start: "2026-01-01", end: "2026-10-30" }) {
  nodes { title summary institution topics publishedAt } } }`;
const COINS = '{ cryptoAssets(first: 20) { nodes { symbol name price } } }';
const ONE = '{ cryptoAssets(first: 1) { nodes { symbol } } }';

async function open() {
  const config = readConfig({ SANDBOX: '1', LOG_LEVEL: 'silent', ADMIN_PORT: '0' });
  const app = await createApp(config);
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close(0);
    await app.close();
  });
  return `${server.url}/graphql`;
}

/** The reply as it came over the wire. */
async function bytesOf(url: string, query: string, encoding?: string) {
  const headers = { accept: 'application/json', ...(encoding && { 'accept-encoding': encoding }) };
  const sent = plainRequest(`${url}?${new URLSearchParams({ query }).toString()}`, { headers });
  sent.end();
  const [response] = await once(sent, 'response');
  const bytes = Buffer.concat(await response.toArray());
  return { headers: response.headers, bytes };
}

const DECOMPRESS = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };

test.each(['br', 'zstd', 'gzip'] as const)(
  '%s: a first answer, a kept one, and a kept one with another account of units',
  async (coding) => {
    const url = await open();
    for (const query of [LAWS, COINS]) {
      const answers = [];
      for (let i = 0; i < 3; i += 1) {
        const { headers, bytes } = await bytesOf(url, query, coding);
        expect(headers['content-encoding']).toBe(coding);
        expect(headers.vary).toContain('Accept-Encoding');
        expect(Number(headers['content-length'])).toBe(bytes.length);
        answers.push(JSON.parse(DECOMPRESS[coding](bytes).toString()));
        if (i === 1) await bytesOf(url, '{ macroCatalog(first: 1) { nodes { code } } }');
      }
      const plain = await bytesOf(url, query);
      expect(plain.headers['content-encoding']).toBeUndefined();
      const { data, extensions } = JSON.parse(plain.bytes.toString());
      for (const answer of answers) expect(answer.data).toEqual(data);
      expect(answers[2].extensions).toEqual(extensions);
      expect(answers[0].extensions.usage.credits.used).toBe(1);
    }
    const whole = await bytesOf(url, LAWS);
    const sent = await bytesOf(url, LAWS, coding);
    expect(sent.bytes.length).toBeLessThan(whole.bytes.length / 5);
  },
);

test('a short answer is sent uncompressed', async () => {
  const { headers, bytes } = await bytesOf(await open(), ONE, 'gzip, br, zstd');
  expect(bytes.length).toBeLessThan(1024);
  expect(headers['content-encoding']).toBeUndefined();
});

test('fetch and undici read it', async () => {
  const url = `${await open()}?${new URLSearchParams({ query: LAWS }).toString()}`;
  const headers = { accept: 'application/json', 'accept-encoding': 'br' };
  const plain = (
    await (await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } })).json()
  ).data;
  for (const coding of ['gzip', 'br', 'zstd']) {
    const own = { ...headers, 'accept-encoding': coding };
    for (const get of [fetch, undiciFetch]) {
      const answer = await get(url, { headers: own });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(await answer.json()).toMatchObject({ data: plain });
    }
  }
});

test.skipIf(!hasBrowser).each(['gzip', 'br', 'zstd'])('a browser reads %s', async (coding) => {
  const url = await open();
  // Pages cannot choose a coding: a proxy asks for this one.
  const codings: unknown[] = [];
  const proxy = createServer((request, response) => {
    const headers = { accept: 'application/json', 'accept-encoding': coding };
    plainRequest(`${new URL(url).origin}${request.url}`, { headers }, (reply) => {
      codings.push(reply.headers['content-encoding']);
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(response);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const browser = await launchBrowser();
  onTestFinished(async () => {
    await browser.close();
    proxy.close().closeAllConnections();
  });
  const page = await browser.newPage();
  await page.goto(
    `http://127.0.0.1:${port}/graphql?${new URLSearchParams({ query: LAWS }).toString()}`,
  );
  const text = await page.evaluate(() => document.body.innerText);
  expect(codings[0]).toBe(coding);
  expect(JSON.parse(text).data.legislationChanges.nodes.length).toBeGreaterThan(50);
});

test.each([
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, *', 'zstd'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['deflate', undefined],
  ['', undefined],
  ['gzip;q=nonsense', undefined],
])('accept-encoding: %s', (header, coding) => {
  expect(encodingFor(header, CODINGS)).toBe(coding);
});
