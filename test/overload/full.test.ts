import { expect, test } from 'vitest';
import { METERS } from '../../src/meters.ts';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { type Bench, open } from '../harness.ts';
import { open as openLive } from '../live/gateway.ts';
import { openSocket } from '../live/socket.ts';

/** More operations than there are places: the newest are refused, and cost nothing; everything else continues. */

const HOT = '{ fxRates(first: 1) { nodes { pair } } }';
const LIVE = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { symbol price } }';
const cold = (i: number) => `{ fxRate(pair: "${PAIRS[i]}") { history { change } } }`;

/** Four places, of which one address may take two. */
const PLACES = { MAX_OPERATIONS: '4' };

/** Opens a gateway where operations waiting for the upstream take all places of this address. */
async function openFull(env: Record<string, string> = {}, unreadUnits = 0) {
  const bench = await open({ env: { ...PLACES, ...env }, unreadUnits });
  await bench.get(HOT);
  const release = bench.sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
  const before = bench.sandbox.requests().length;
  const waiting = [bench.ask(cold(0)), bench.ask(cold(1))];
  await expect.poll(() => bench.sandbox.requests().length).toBe(before + 2);
  return { bench, release, waiting };
}

const post = (query: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  body: JSON.stringify({ query }),
});

const OVERLOADED = { code: 'OVERLOADED', retryAfter: 1, retryable: true };

/** Sends a request that needs the upstream, and expects to be told to retry. */
async function expectRefused({ send, sandbox }: Bench, init: RequestInit): Promise<void> {
  const before = sandbox.requests().length;
  const { status, headers, errors, extensions } = await send(init);
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(errors).toMatchObject([{ extensions: OVERLOADED }]);
  for (const meter of METERS) expect(extensions.usage[meter].used).toBe(0);
  expect(sandbox.requests().length).toBe(before);
}

test('an operation that finds no place gets 503 and Retry-After, and nothing is sent upstream', async () => {
  const { bench, release, waiting } = await openFull();
  await expectRefused(bench, post(cold(2)));
  await expectRefused(bench, post('{ what no parser reads'));
  await expectRefused(bench, post(cold(2), { accept: 'multipart/mixed' }));
  release();
  for (const { errors } of await Promise.all(waiting)) expect(errors).toEqual([]);
  expect(await bench.cost(cold(2))).toBe(1);
});

test('the embedding program says whose request it is', async () => {
  const { bench, release, waiting } = await openFull({}, 1);
  const statusFor = async (from?: { address?: string }) => {
    const request = new Request(bench.url, post('{ usage { fx { limit } } }'));
    return (await bench.fetch(request, from)).status;
  };
  const hold = (address: string) =>
    bench.fetch(new Request(bench.url, post(cold(3))), { address }).then(({ status }) => status);
  const others = [hold('192.0.2.1')];
  await expect.poll(() => bench.sandbox.requests().length).toBe(4);
  expect(await statusFor({ address: '192.0.2.1' })).toBe(503);
  expect(await statusFor({ address: '192.0.2.2' })).toBe(200);
  // As servers call it, with a second argument of their own.
  for (const own of [undefined, null, { address: { port: 80 } }])
    expect(await statusFor(own as never)).toBe(200);
  release();
  expect(await Promise.all(others)).toEqual([200]);
  await Promise.all(waiting);
});

test('hot answers and health are served meanwhile', async () => {
  const { bench, release, waiting } = await openFull();
  await bench.get(HOT);
  const health = await fetch(bench.url.replace('/graphql', '/health'));
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  release();
  await Promise.all(waiting);
});

test('a request equal to one that has a place waits for its answer', async () => {
  const { bench, release, waiting } = await openFull();
  const joined = bench.ask(cold(0));
  await expectRefused(bench, post(cold(2)));
  release();
  expect((await joined).data).toEqual((await waiting[0])?.data);
});

test('no stream begins, and over a WebSocket only the operation is refused', async () => {
  const { bench, release, waiting } = await openFull();
  await expectRefused(bench, post(LIVE, { accept: 'text/event-stream' }));
  const socket = openSocket(bench.url);
  expect(await socket.subscribe(cold(2)).ended).toMatchObject([{ extensions: OVERLOADED }]);
  release();
  await Promise.all(waiting);
  expect(await socket.subscribe('{ __typename }').ended).toBeUndefined();
});

test('a stream that is open goes on', async () => {
  const { sandbox, sse, ask, step } = await openLive({ env: { ...PLACES, TTL_CRYPTO: '0.05' } });
  const stream = await sse(LIVE);
  const release = sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
  const waiting = [sse(cold(0)), sse(cold(1))];
  let asked = 0;
  const askFree = () => ask(`{ free${(asked += 1)}: __typename }`).then(({ status }) => status);
  await expect.poll(askFree).toBe(503);
  const before = stream.events.length;
  step();
  await expect.poll(() => stream.events.length).toBeGreaterThan(before);
  release();
  await Promise.all(waiting);
});
