import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAssets } from '../../src/graphiql/assets.ts';
import { tabsOf } from '../../src/graphiql/tabs.ts';
import { type Gateway, open } from '../harness.ts';
import { isSubscription, SUBSCRIPTIONS } from '../ready-made.ts';

/** What Chromium sends. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function visit({ fetch }: Gateway, headers: Record<string, string> = {}) {
  const init = { headers: { accept: BROWSER, ...headers } };
  const response = await fetch(new Request('http://localhost/graphql', init));
  return { response, body: Buffer.from(await response.arrayBuffer()) };
}

test('a browser gets GraphiQL, compressed as it accepts', async () => {
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
  expect(brotli.body.length).toBeLessThan(body.length / 4);
});

test('a browser that has the page is told so without it', async () => {
  const gateway = await open();
  const { response } = await visit(gateway);
  const etag = response.headers.get('etag') ?? '';
  const again = await visit(gateway, { 'if-none-match': etag });
  expect(again.response.status).toBe(304);
  expect(again.body.length).toBe(0);
  expect((await visit(gateway, { 'if-none-match': 'W/"other"' })).response.status).toBe(200);
});

test('the page names no other host to load from', async () => {
  const { response, body } = await visit(await open());
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
  expect(body.toString()).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//);
});

test('a client that asks for JSON gets no page', async () => {
  const { fetch } = await open();
  const query = new URLSearchParams({ query: '{ usage { fx { remaining } } }' });
  const url = `http://localhost/graphql?${query.toString()}`;
  const response = await fetch(new Request(url, { headers: { accept: 'application/json' } }));
  expect(response.headers.get('content-type')).toContain('json');
});

test('there is no GraphiQL where only listed operations are served', async () => {
  const { response } = await visit(await open({ env: { PERSISTED_ONLY: '1' } }));
  expect(response.headers.get('content-type')).not.toContain('html');
});

test('every tab of a query runs with the variables that stand in it', async () => {
  const { get } = await open();
  const tabs = tabsOf(readAssets().operations);
  expect(tabs[0]?.query).toContain('query MarketPage');
  const queries = tabs.filter(({ query }) => !isSubscription(query));
  expect(tabs).toHaveLength(queries.length + SUBSCRIPTIONS.length);
  for (const { query, variables } of queries) await get(query, JSON.parse(variables) as object);
});
