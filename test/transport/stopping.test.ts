import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access, open } from '../harness.ts';

/** What clients and load balancers are told before the process ends. */

const SUBSCRIPTION = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
const HEADERS = { 'content-type': 'application/json', accept: 'text/event-stream' };
const INIT = { method: 'POST', headers: HEADERS, body: JSON.stringify({ query: SUBSCRIPTION }) };
const BARE_DOCUMENT = {
  ...INIT,
  headers: { ...HEADERS, 'content-type': 'application/graphql' },
  body: SUBSCRIPTION,
};
const INITS = [
  ['JSON', INIT],
  ['a bare document', BARE_DOCUMENT],
] as const;

async function start() {
  const app = await createApp(readConfig({ SANDBOX: '1', LOG_LEVEL: 'silent' }));
  onTestFinished(() => app.close());
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const subscribe = async (init: RequestInit) => {
    const { body } = await app.fetch(new Request('http://localhost/graphql', init));
    return body!.pipeThrough(new TextDecoderStream()).getReader();
  };
  return { ...app, get, subscribe };
}

test.for(INITS)('proxies are asked to pass events on at once, for %s', async ([, init]) => {
  const { fetch } = await start();
  const { headers, body } = await fetch(new Request('http://localhost/graphql', init));
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('vary')).toContain('Accept');
  await body?.cancel();
});

async function rest(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
}

test.for(INITS)(
  'a stop ends event streams, requested by %s, without a last event, so that clients reconnect',
  async ([, init]) => {
    const { subscribe, stop } = await start();
    const reader = await subscribe(init);
    let text = '';
    while (!text.includes('"price"')) text += (await reader.read()).value ?? '';
    stop();
    text += await rest(reader);
    expect(text).not.toContain('complete');
    expect(await rest(await subscribe(init))).not.toContain('complete');
  },
);

test('a query that is answered as events still ends with the last event', async () => {
  const { fetch } = await start();
  const init = { ...INIT, body: '{"query":"{ __typename }"}' };
  const response = await fetch(new Request('http://localhost/graphql', init));
  expect(await response.text()).toContain('event: complete');
});

test('while it drains, /ready says no and everything is served', async () => {
  const { get, drain, stop } = await start();
  expect((await get('/ready')).status).toBe(200);
  drain();
  for (const end of [() => undefined, stop]) {
    end();
    const ready = await get('/ready');
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping' }]);
    expect((await get('/graphql?query=%7B__typename%7D')).status).toBe(200);
  }
});

test('the port closes only after DRAIN_MS, and each reply until then is the last of its connection', async () => {
  // On a busy machine the requests below may take seconds.
  const { child, connect, exited, output } = startProcess({ DRAIN_MS: '5000' });
  const { url, ask } = await connect();
  const health = await fetch(new URL('/health', url));
  expect(health.headers.get('connection')).toBe('keep-alive');
  child.kill('SIGTERM');
  await expect.poll(() => output.stdout).toContain('SIGTERM');
  const ready = await fetch(new URL('/ready', url));
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
  expect(await exited).toEqual({ code: 0, signal: null });
});

test('a reply whose request came before the signal is the last of its connection, too', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  sandbox.fault({ kind: 'hold' });
  const { child, connect, exited, output } = startProcess(access(sandbox));
  const { url } = await connect();
  const waiting = fetch(`${url}?query={fxRates{totalCount}}`);
  await expect.poll(() => sandbox.requests().length).toBe(1);
  child.kill('SIGTERM');
  await expect.poll(() => output.stdout).toContain('SIGTERM');
  sandbox.clearFaults();
  const reply = await waiting;
  expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
  await exited;
});

test('a signal during the start ends the process cleanly, too', async () => {
  // As soon as it listens for signals.
  const early = `process.on('newListener', (event) => {
    if (event === 'SIGTERM') queueMicrotask(() => process.kill(process.pid, event));
  });`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(early)}`;
  const { exited } = startProcess({ NODE_OPTIONS });
  expect(await exited).toEqual({ code: 0, signal: null });
});

test('a 403, which may be about a single query, leaves /ready as it is', async () => {
  const { url, ask, sandbox } = await open();
  sandbox.fault({ kind: 'status', status: 403, path: '/legislation' });
  const { errors } = await ask('{ legislationChanges(filter: { search: "<x>" }) { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTHENTICATION' } }]);
  expect((await fetch(new URL('/ready', url))).status).toBe(200);
});

test('while the upstream refuses the key, /ready says no for a minute at a time', async () => {
  const { url, ask, clock, sandbox } = await open();
  const ready = async () => (await fetch(new URL('/ready', url))).status;
  const heal = sandbox.fault({ kind: 'status', status: 401, group: 'A' });
  await ask('{ fxRate(pair: "USDTRY") { mid } }');
  expect(await ready()).toBe(503);
  clock.advance(61_000);
  expect(await ready()).toBe(200);
  await ask('{ fxRate(pair: "USDTRY") { mid } }');
  expect(await ready()).toBe(503);
  heal();
  clock.advance(10_000);
  await ask('{ fxRate(pair: "USDTRY") { mid } }');
  expect(await ready()).toBe(200);
});
