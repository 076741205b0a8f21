import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectEvents, requestsWithin, open } from './gateway.ts';

/** Long enough for a look and its event; a time to live is 0.2 s. */
const TTL_MS = 200;
const ENV = { TTL_FX_RATES: '0.2', TTL_LEGISLATION: '0.2' };

const PUBLISHED = `subscription Published($filter: LegislationChangeFilter) {
  legislationChangePublished(filter: $filter) { recordId type title publishedAt }
}`;

const RATES = `subscription Rates($pairs: [CurrencyPair!]!) {
  fxRatesUpdated(pairs: $pairs) { pair buying selling }
}`;

/** One more record on top of the upstream's list. */
function withNewLaw(body: unknown): unknown {
  const { total, data, ...rest } = Object(body);
  const law = { ...data[0], id: 'rg-new', type: 'kanun', title: 'New' };
  return { ...rest, total: total + 1, data: [law, ...data] };
}

function withDearDollar(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const [dollar, ...others] = data;
  expect(dollar.pair).toBe('USDTRY');
  return { ...rest, data: [{ ...dollar, buying: 99.5, selling: 99.6 }, ...others] };
}

test('only a change that is new reaches its subscribers, once', async () => {
  const live = await open({ env: ENV });
  const all = await live.sse(PUBLISHED);
  const laws = live.socket().subscribe(PUBLISHED, { filter: { types: ['LAW'] } });
  const circulars = live.socket().subscribe(PUBLISHED, { filter: { types: ['CIRCULAR'] } });
  await sleep(2.5 * TTL_MS);
  expect([all, laws, circulars].flatMap(({ events }) => events)).toEqual([]);
  live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: withNewLaw });
  await expectEvents([all, laws], 1);
  await sleep(2 * TTL_MS);
  const change = { recordId: 'rg-new', type: 'LAW', title: 'New' };
  for (const { events } of [all, laws]) {
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({ legislationChangePublished: change });
  }
  expect(circulars.events).toEqual([]);
  expect(live.sandbox.peakSameUrl()).toBe(1);
});

test('rates come now, and again only when one of the asked pairs has changed', async () => {
  const live = await open({ env: ENV });
  const dollar = await live.sse(RATES, { pairs: ['usd/try', 'EURTRY'] }, 'GET');
  const euro = live.socket().subscribe(RATES, { pairs: ['EURTRY'] });
  await expectEvents([dollar, euro], 1);
  expect(Object(dollar.events[0]?.data).fxRatesUpdated).toMatchObject([
    { pair: 'USDTRY' },
    { pair: 'EURTRY' },
  ]);
  await sleep(2.5 * TTL_MS);
  live.sandbox.fault({ kind: 'rewrite', path: '/v1/fx/rates', rewrite: withDearDollar });
  await expectEvents([dollar], 2, 2 * TTL_MS);
  expect(dollar.events[1]?.data).toMatchObject({
    fxRatesUpdated: [{ pair: 'USDTRY', buying: 99.5 }, { pair: 'EURTRY' }],
  });
  await sleep(2 * TTL_MS);
  expect([dollar.events.length, euro.events.length]).toEqual([2, 1]);
  dollar.leave();
  euro.leave();
  expect(await requestsWithin(live, 2.5 * TTL_MS)).toBe(0);
});

test('a pair that the upstream does not have is left out', async () => {
  const live = await open();
  const subscriber = await live.sse(RATES, { pairs: ['XXXYYY', 'USDTRY'] });
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({ fxRatesUpdated: [{ pair: 'USDTRY' }] });
});

test('while the upstream fails a subscriber keeps what it has, and nobody hurries', async () => {
  const live = await open({ env: ENV });
  const subscriber = await live.sse(RATES, { pairs: ['USDTRY'] });
  await expectEvents([subscriber], 1);
  live.sandbox.fault({ kind: 'status', status: 500 });
  await sleep(5 * TTL_MS);
  const failed = live.sandbox.requests().filter(({ status }) => status === 500);
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.length).toBeLessThanOrEqual(4);
  expect(subscriber.events).toHaveLength(1);
});
