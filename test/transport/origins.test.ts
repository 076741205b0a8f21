import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { readReply } from '../reply.ts';
import { sendRaw } from './raw.ts';

/** Web pages of other sites, which must neither spend units nor read answers unless they are permitted to. */

const QUERY = '{ fxRate(pair: "USDTRY") { mid } }';
const SEARCH = `?${String(new URLSearchParams({ query: QUERY }))}`;
const OTHER = 'https://other.example';
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', accept: 'image/avif,*/*;q=0.8' };
const FORM = {
  method: 'POST',
  body: String(new URLSearchParams({ query: QUERY })),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};

/** Sends a GET as a browser does for a page. */
const load = ({ send }: Bench, headers: Record<string, string>) => send({ headers }, SEARCH);

test.for([
  ['an image of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['an image of another host of the same site', { 'sec-fetch-site': 'same-site' }],
  ['a page of another site', { origin: OTHER, 'sec-fetch-site': 'cross-site' }],
  ['an old browser', { origin: OTHER }],
  ['a page without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['an EventSource of another site', { origin: OTHER, accept: 'text/event-stream' }],
  ['an image, by a browser that tells nothing on plain HTTP', BROWSER],
  ['the same with the page it is for', { ...BROWSER, referer: `${OTHER}/page` }],
  ['a text that is no form', { origin: OTHER, 'content-type': 'text/plain;a=application/json' }],
])('%s spends nothing', async ([, headers]) => {
  const bench = await open();
  const { status, errors } = await load(bench, headers as Record<string, string>);
  expect(status).toBe(403);
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN_ORIGIN', retryable: false } }]);
  const form = await bench.send({ ...FORM, headers: { ...FORM.headers, origin: OTHER } });
  expect([form.status, form.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  expect(bench.sandbox.requests()).toEqual([]);
});

test("a page is not the gateway's own because its address contains the gateway's", async () => {
  const bench = await open();
  const { host } = new URL(bench.url);
  const foreign: Record<string, string>[] = [
    { origin: `http://x.${host}` },
    { origin: `http://x${host}` },
    { ...BROWSER, referer: `http://${host}.other.example/` },
    { ...BROWSER, referer: `${OTHER}/?next=http://${host}/` },
  ];
  for (const headers of foreign) {
    const { status, errors } = await load(bench, headers);
    expect([status, errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  }
  expect(bench.sandbox.requests()).toEqual([]);
});

test('a kept answer is not readable either', async () => {
  const bench = await open();
  const accept = { accept: 'application/json' };
  for (const expected of [1, 0]) {
    const { extensions } = await load(bench, accept);
    expect(extensions.usage.fx.used).toBe(expected);
  }
  const { status, data } = await load(bench, { ...accept, origin: OTHER });
  expect([status, data]).toEqual([403, undefined]);
});

test("clients other than browsers, the gateway's own pages, and requests with a preflight are served", async () => {
  const bench = await open({ env: { CORS_ORIGINS: 'https://listed.example/' } });
  const own = new URL(bench.url).origin;
  const site = { 'sec-fetch-site': 'cross-site' };
  const permitted: Record<string, string>[] = [
    {},
    { origin: own },
    { ...BROWSER, referer: `${own}/page` },
    { ...BROWSER, 'graphql-require-preflight': '1' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    { ...site, origin: 'https://listed.example' },
    { ...site, origin: OTHER, 'x-graphql-yoga-csrf': '1' },
    { ...site, origin: OTHER, 'apollo-require-preflight': '1' },
    { ...site, origin: OTHER, 'graphql-require-preflight': '' },
    { ...site, origin: OTHER, 'content-type': 'application/json' },
  ];
  for (const headers of permitted) expect((await load(bench, headers)).status).toBe(200);
  expect(bench.sandbox.requests()).toHaveLength(1);
});

test('with a key, no GET is taken for one of another site: no page has it', async () => {
  const { bench, headersOf } = await openKeys([{ name: 'web' }]);
  expect((await load(bench, { ...BROWSER, ...headersOf('web') })).status).toBe(200);
});

test("the gateway's own pages may use every key, whatever a proxy makes of its host name", async () => {
  const client = { name: 'web', origins: ['https://app.example'] };
  const { bench, headersOf } = await openKeys([client]);
  const page = { ...headersOf('web'), origin: 'https://public.example' };
  expect((await load(bench, { ...page, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await load(bench, { ...page, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
});

test('if all origins are permitted, images are, too', async () => {
  const bench = await open({ env: { CORS_ORIGINS: '*' } });
  const bothWays: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, BROWSER];
  for (const sent of bothWays) {
    const { status, headers } = await load(bench, sent);
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
  }
});

/** Sends a query under another host name, as does a page whose own name resolves to this machine (DNS rebinding). */
async function askAsHost(host: string, { url, noteReply }: Bench) {
  const lines = [`GET /graphql${SEARCH} HTTP/1.1`, `host: ${host}`, 'connection: close'];
  const origin = `origin: http://${host.toLowerCase()}`;
  const answer = await sendRaw(url, [...lines, origin]);
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const reply = readReply(Number(head.split(' ')[1]), text);
  noteReply(reply, text);
  return { status: reply.status, code: reply.errors[0]?.extensions.code };
}

test("a request for a host that is not served spends nothing: only this machine's names are", async () => {
  const bench = await open();
  const forbidden = { status: 403, code: 'FORBIDDEN_HOST' };
  for (const host of ['evil.example', 'evil.example:4000', 'localhost.evil.example', '10.0.0.1'])
    expect(await askAsHost(host, bench)).toEqual(forbidden);
  expect(bench.sandbox.requests()).toEqual([]);
  for (const host of ['localhost', 'LOCALHOST:4000', '127.0.0.1:1', '[::1]:4000'])
    expect(await askAsHost(host, bench)).toEqual({ status: 200, code: undefined });
});

test('the served host names can be listed, and do not apply when embedded', async () => {
  const listed = await open({ env: { ALLOWED_HOSTS: 'API.example' } });
  expect((await askAsHost('api.example:8080', listed)).status).toBe(200);
  expect((await askAsHost('localhost', listed)).status).toBe(403);
  const all = await open({ env: { ALLOWED_HOSTS: '*' } });
  expect((await askAsHost('anything.example', all)).status).toBe(200);
  const openToAll = await open({ env: { HOST: '0.0.0.0' } });
  expect((await askAsHost('anything.example', openToAll)).status).toBe(200);
  const embedded = new Request(`http://embedding.example/graphql${SEARCH}`);
  const response = await listed.fetch(embedded);
  const text = await response.text();
  listed.noteReply(readReply(response.status, text), text);
  expect(response.status).toBe(200);
});
