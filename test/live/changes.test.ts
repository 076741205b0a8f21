import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/time.ts';
import { upstreamAnswer } from '../upstream.ts';
import { expectEvents, open, requestsWithin } from './gateway.ts';

const TTL_MS = 100;
const ENV = { TTL_FX_RATES: '0.1', TTL_LEGISLATION: '0.1' };

const PUBLISHED = `subscription Published($filter: LegislationChangeFilter) {
  legislationChangePublished(filter: $filter) { recordId type title publishedAt }
}`;

const RATES = `subscription Rates($pairs: [CurrencyPair!]!) {
  fxRatesUpdated(pairs: $pairs) { pair buying selling }
}`;

/** Adds a record at the top of the upstream's list. */
function withNewLaw(body: unknown): unknown {
  const { total, data, ...rest } = Object(body);
  const law = { ...data[0], id: 'rg-new', type: 'kanun', title: 'New' };
  return { ...rest, total: total + 1, data: [law, ...data] };
}

function withExpensiveDollar(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const [dollar, ...others] = data;
  expect(dollar.pair).toBe('USDTRY');
  return { ...rest, data: [{ ...dollar, buying: 99.5, selling: 99.6 }, ...others] };
}

test('only a new change reaches its subscribers, and only once', async () => {
  const live = await open({ env: ENV });
  const all = await live.sse(PUBLISHED);
  const socket = live.socket();
  const laws = socket.subscribe(PUBLISHED, { filter: { types: ['LAW'] } });
  const circulars = socket.subscribe(PUBLISHED, { filter: { types: ['CIRCULAR'] } });
  await socket.sync();
  await live.expectRequests(1);
  live.advance(TTL_MS);
  await live.expectRequests(2);
  expect([all, laws, circulars].flatMap(({ events }) => events)).toEqual([]);
  live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: withNewLaw });
  live.advance(TTL_MS);
  await expectEvents([all, laws], 1);
  await live.expectRequests(3);
  live.advance(TTL_MS);
  await live.expectRequests(4);
  await socket.sync();
  const change = { recordId: 'rg-new', type: 'LAW', title: 'New' };
  for (const { events } of [all, laws]) {
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({ legislationChangePublished: change });
  }
  expect(circulars.events).toEqual([]);
  expect(live.sandbox.peakSameUrl()).toBe(1);
});

test('a change that is entered days after its publication is sent, at no further cost', async () => {
  const live = await open({ env: ENV });
  const subscriber = await live.sse(PUBLISHED);
  await live.expectRequests(1);
  const rewrite = (body: unknown) => {
    const { data, ...rest } = Object(withNewLaw(body));
    const [law, ...others] = data;
    return { ...rest, data: [...others, { ...law, publishedAt: '2026-11-16' }] };
  };
  live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  live.advance(TTL_MS);
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({
    legislationChangePublished: { recordId: 'rg-new', publishedAt: '2026-11-16' },
  });
  await live.expectRequests(2);
});

test('all that was published since the last poll is sent, even days later, for one request', async () => {
  const live = await open({ env: ENV });
  const subscriber = await live.sse(PUBLISHED);
  await live.expectRequests(1);
  const RECENT_PATH = '/legislation/changes?start=2026-11-18';
  const publishedIds = () =>
    upstreamAnswer(live.sandbox, 'B', RECENT_PATH).data.map(({ id }) => id);
  const old = new Set(publishedIds());
  live.advance(5 * DAY_MS);
  await live.expectRequests(2);
  const added = publishedIds().filter((id) => !old.has(id));
  expect(added.length).toBeGreaterThan(5);
  await expectEvents([subscriber], added.length);
  const publishedTitles = subscriber.events.map(
    ({ data }) => Object(data).legislationChangePublished.recordId,
  );
  expect(new Set(publishedTitles)).toEqual(new Set(added));
  expect(publishedTitles).toHaveLength(added.length);
});

test('if the upstream accepts only a few days at once, updates resume after an outage of more', async () => {
  const live = await open({ env: ENV });
  const isLong = (path: string) => {
    const { start, end } = Object.fromEntries(new URL(path, live.url).searchParams);
    return Date.parse(`${end}`) - Date.parse(`${start}`) > 3 * DAY_MS;
  };
  const subscriber = await live.sse(PUBLISHED, { filter: { institution: 'TCMB' } });
  await live.expectRequests(1);
  live.sandbox.fault({ kind: 'status', status: 422, path: isLong });
  live.advance(20 * DAY_MS);
  // All days since the last answer, widened to a year and as they are; then the same for the last days alone.
  await live.expectRequests(5);
  expect(live.sandbox.requests().map(({ status }) => status)).toEqual([200, 422, 422, 422, 200]);
  live.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: withNewLaw });
  live.advance(TTL_MS);
  await expectEvents([subscriber], 1);
});

test('rates are sent at once, and again only when one of the pairs has changed', async () => {
  const live = await open({ env: ENV });
  const dollar = await live.sse(RATES, { pairs: ['usd/try', 'EURTRY'] }, 'GET');
  const socket = live.socket();
  const euro = socket.subscribe(RATES, { pairs: ['EURTRY'] });
  await expectEvents([dollar, euro], 1);
  expect(Object(dollar.events[0]?.data).fxRatesUpdated).toMatchObject([
    { pair: 'USDTRY' },
    { pair: 'EURTRY' },
  ]);
  await live.expectRequests(1);
  live.advance(TTL_MS);
  await live.expectRequests(2);
  live.sandbox.fault({ kind: 'rewrite', path: '/v1/fx/rates', rewrite: withExpensiveDollar });
  live.advance(TTL_MS);
  await expectEvents([dollar], 2);
  expect(dollar.events[1]?.data).toMatchObject({
    fxRatesUpdated: [{ pair: 'USDTRY', buying: 99.5 }, { pair: 'EURTRY' }],
  });
  await live.expectRequests(3);
  live.advance(TTL_MS);
  await live.expectRequests(4);
  await socket.sync();
  expect([dollar.events.length, euro.events.length]).toEqual([2, 1]);
  dollar.leave();
  euro.leave();
  await live.expectNoConnections();
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('a pair that the upstream does not have is left out, and one named twice comes once', async () => {
  const live = await open();
  const subscriber = await live.sse(RATES, { pairs: ['XXXYYY', 'USDTRY', 'usd/try'] });
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({ fxRatesUpdated: [{ pair: 'USDTRY' }] });
});

test('while the upstream fails a subscriber is sent nothing; once it is back, updates resume', async () => {
  const live = await open({ env: ENV });
  const subscriber = await live.sse(RATES, { pairs: ['USDTRY'] });
  await expectEvents([subscriber], 1);
  await live.expectRequests(1);
  live.sandbox.fault({ kind: 'status', status: 500, times: 2 });
  live.advance(TTL_MS);
  await live.expectRequests(3);
  expect(subscriber.events).toHaveLength(1);
  // Past the pause after a failure, and until the rates have changed.
  live.advance(60_000);
  await expectEvents([subscriber], 2);
  expect(live.sandbox.requests().map(({ status }) => status)).toEqual([200, 500, 500, 200]);
});

test('a refusal that no client has caused ends no subscription', async () => {
  const live = await open();
  live.sandbox.fault({ kind: 'status', status: 400, times: 1 });
  const subscriber = await live.sse(RATES, { pairs: ['USDTRY'] });
  await live.expectRequests(1);
  // Past the pause after a failure.
  live.advance(60_000);
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({ fxRatesUpdated: [{ pair: 'USDTRY' }] });
  await live.expectRequests(2);
});
