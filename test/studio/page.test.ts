import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAssets } from '../../src/studio/assets.ts';
import { createStudio } from '../../src/studio/serve.ts';
import { readyMadeOf } from '../../src/studio/ready-made.ts';
import { type Gateway, open } from '../harness.ts';
import { isSubscription, SUBSCRIPTIONS } from '../ready-made.ts';

/** What Chromium sends. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function visit(gateway: Gateway, headers: Record<string, string> = {}, path = '') {
  const init = { headers: { accept: BROWSER, ...headers } };
  const response = await gateway.fetch(new Request(`http://localhost/graphql${path}`, init));
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

test('a browser gets the Studio, compressed as it accepts', async () => {
  const gateway = await open();
  const { response, body } = await visit(gateway);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(body.subarray(0, 15).toString()).toBe('<!doctype html>');
  expect(body.includes('<title>Marketgraph</title>')).toBe(true);

  const gzip = await visit(gateway, { 'accept-encoding': 'gzip, deflate, br;q=0' });
  expect(gzip.response.headers.get('content-encoding')).toBe('gzip');
  expect(gunzipSync(gzip.body).equals(body)).toBe(true);
  const brotli = await visit(gateway, { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(brotli.response.headers.get('content-encoding')).toBe('br');
  expect(brotliDecompressSync(brotli.body).equals(body)).toBe(true);
});

test('a browser that has the page gets a 304 without a body', async () => {
  const gateway = await open();
  const { response } = await visit(gateway);
  const etag = response.headers.get('etag') ?? '';
  const again = await visit(gateway, { 'if-none-match': etag });
  expect(again.response.status).toBe(304);
  expect(again.body.length).toBe(0);
  expect((await visit(gateway, { 'if-none-match': 'W/"other"' })).response.status).toBe(200);
});

test('the page loads nothing from another host', async () => {
  const { response, body } = await visit(await open());
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(body.toString()).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//);
});

test('files that the page loads have the right type, and are cached for good', async () => {
  const gateway = await open();
  const { body } = await visit(gateway);
  const [, name = ''] = /src="\.\/graphql(\/studio\/[^"]+\.js)"/.exec(body.toString()) ?? [];
  const plain = await visit(gateway, {}, name);
  expect(plain.response.status).toBe(200);
  expect(plain.response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(plain.response.headers.get('cache-control')).toContain('immutable');
  const brotli = await visit(gateway, { 'accept-encoding': 'br' }, name);
  expect(brotli.response.headers.get('content-encoding')).toBe('br');
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
});

test('a path below the Studio that is not one of its files asks for an operation', async () => {
  const { send } = await open();
  const { status } = await send({ headers: { accept: 'application/json' } }, '/studio/none.js');
  expect(status).toBe(200);
  const { errors } = await send(
    { headers: { accept: 'application/json' } },
    '/studio/../../../package.json',
  );
  expect(errors).toHaveLength(1);
});

test('if the Studio has not been built, log and page say how to build it', async () => {
  const lines: string[] = [];
  const studio = createStudio((line) => lines.push(line), ['nowhere/']);
  const { status, body } = await studio.page({ headers: {} });
  expect(status).toBe(503);
  expect(lines).toHaveLength(1);
  for (const text of [...lines, String(body[0])]) expect(text).toContain('npm run build:studio');
  expect(studio.asset('/graphql/studio/main.js', { headers: {} })).toBeUndefined();
});

test('a client that asks for JSON gets no page', async () => {
  const { fetch } = await open();
  const query = new URLSearchParams({ query: '{ usage { fx { remaining } } }' });
  const url = `http://localhost/graphql?${query.toString()}`;
  const response = await fetch(new Request(url, { headers: { accept: 'application/json' } }));
  expect(response.headers.get('content-type')).toContain('json');
});

const atRoot = (gateway: Gateway, accept = BROWSER) =>
  gateway.fetch(new Request('http://localhost/', { headers: { accept } }));

test('only a browser is redirected from the root of the port to the page', async () => {
  const gateway = await open();
  const response = await atRoot(gateway);
  expect([response.status, response.headers.get('location')]).toEqual([302, 'graphql']);
  expect((await atRoot(gateway, 'application/json')).status).toBe(404);
});

test('only a browser is redirected from /graphql/, and what the address asks for is kept', async () => {
  const gateway = await open();
  const query = '?query=%7B__typename%7D';
  const get = (accept: string) =>
    gateway.fetch(new Request(`http://localhost/graphql/${query}`, { headers: { accept } }));
  const response = await get(BROWSER);
  const location = response.headers.get('location');
  expect([response.status, location]).toEqual([302, `../graphql${query}`]);
  expect(await (await get('application/json')).json()).toMatchObject({
    data: { __typename: 'Query' },
    extensions: { usage: { upstream: { requests: 0 } } },
  });
});

test('there is no page if only listed operations are served, or if it is switched off', async () => {
  for (const variable of ['PERSISTED_ONLY=1', 'STUDIO=0']) {
    const gateway = await open({
      env: Object.fromEntries([variable.split('=')]) as { [name: string]: string },
    });
    expect((await visit(gateway)).response.headers.get('content-type')).not.toContain('html');
    expect((await atRoot(gateway)).status).toBe(404);
  }
});

test('every query tab runs with its own variables', async () => {
  const { get } = await open();
  const tabs = readyMadeOf(readAssets());
  expect(tabs[0]?.query).toContain('query MarketPage');
  const queries = tabs.filter(({ query }) => !isSubscription(query));
  expect(tabs).toHaveLength(queries.length + SUBSCRIPTIONS.length);
  for (const { query, variables } of queries) await get(query, JSON.parse(variables) as object);
});
