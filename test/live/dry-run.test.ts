import { expect, test } from 'vitest';
import { connect } from '../harness.ts';
import { type Live, open, requestsWithin } from './gateway.ts';
import { openSocket } from './socket.ts';

/** A dry run spends nothing, even where dry runs are not supported. */

const DRY = { 'x-usage-dry-run': '1' };
const REFUSED = [{ extensions: { code: 'DRY_RUN_UNSUPPORTED' } }];
const TTL_MS = 100;
const ENV = { TTL_CRYPTO: '0.1' };

const ASSETS = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';

async function expectNothingSpent(live: Live): Promise<void> {
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
  expect(live.sandbox.requests()).toEqual([]);
}

test('a dry run of a subscription over SSE is refused, and gives no estimate', async () => {
  const live = await open({ env: ENV });
  const response = await fetch(live.url, {
    method: 'POST',
    headers: { ...DRY, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: ASSETS }),
  });
  const [, event = ''] = /^data: (.+)$/m.exec(await response.text()) ?? [];
  const { errors, extensions } = JSON.parse(event);
  expect(errors).toMatchObject(REFUSED);
  expect(extensions.usage).not.toHaveProperty('estimate');
  await expectNothingSpent(live);
});

test('a dry run of a subscription in JSON gives no estimate', async () => {
  const live = await open({ env: ENV });
  const { errors, extensions } = await connect(live.url).send({
    method: 'POST',
    headers: { ...DRY, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: ASSETS }),
  });
  expect(errors).toHaveLength(1);
  expect(extensions.usage).not.toHaveProperty('estimate');
  await expectNothingSpent(live);
});

test.for([ASSETS, '{ fxRates { totalCount } }'])(
  'over a WebSocket that asks for dry runs, nothing is executed: %s',
  async (query) => {
    const live = await open({ env: ENV });
    const socket = openSocket(live.url, DRY);
    expect(await socket.subscribe(query).ended).toMatchObject(REFUSED);
    await expectNothingSpent(live);
  },
);

test.for([DRY, { headers: { 'X-Usage-Dry-Run': '1' } }, { 'x-usage-dry-run': true }])(
  'nor is it if the first message asks for them: %j',
  async (init) => {
    const live = await open({ env: ENV });
    const socket = openSocket(live.url, {}, init);
    expect(await socket.subscribe('{ __typename }').ended).toMatchObject(REFUSED);
  },
);

test.for(['0', 'off', false, null])(
  'a first message that asks for none is no dry run: %j',
  async (value) => {
    const live = await open({ env: ENV });
    const socket = openSocket(live.url, {}, { 'x-usage-dry-run': value });
    const { ended, events } = socket.subscribe('{ __typename }');
    expect(await ended).toBeUndefined();
    expect(events).toHaveLength(1);
  },
);
