import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../src/upstream/dialects.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { readOutcome } from '../../src/upstream/outcome.ts';
import { open } from '../harness.ts';

/** Odd values outside the records cost nothing, and pages that are not the upstream's tell nothing about the data. */

const HOUR = 3_600_000;

describe('a 404 page', () => {
  test('says nothing about the data: the cached answer is served, and soon requested again', async () => {
    const { get, sandbox, clock } = await open();
    const query = '{ calendarEvents { totalCount provenance { stale } } }';
    const before = await get<{ calendarEvents: { totalCount: number } }>(query);
    expect(before.calendarEvents.totalCount).toBeGreaterThan(0);
    clock.advance(7 * HOUR);
    sandbox.fault({ kind: 'status', status: 404, body: '<h1>404 Not Found</h1>' });
    const { calendarEvents } = before;
    expect(await get(query)).toEqual({
      calendarEvents: { ...calendarEvents, provenance: { stale: true } },
    });
    sandbox.clearFaults();
    clock.advance(HOUR);
    expect(await get(query)).toMatchObject({ calendarEvents: { provenance: { stale: false } } });
  });

  test('is an error if nothing is cached', async () => {
    const { ask, sandbox } = await open();
    sandbox.fault({ kind: 'status', status: 404, body: '<h1>404 Not Found</h1>' });
    const { errors } = await ask('{ calendarEvents { totalCount } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  });
});

test('a 404 does not empty the catalog, which holds every series', async () => {
  const { ask, sandbox, clock } = await open();
  const query = '{ macroSeries(code: "TP.DK.USD.A") { name } macroCatalog { totalCount } }';
  const before = await ask(query);
  expect(before.data).toMatchObject({ macroSeries: {} });
  clock.advance(7 * HOUR);
  sandbox.fault({ kind: 'status', status: 404, path: '/v1/macro/catalog', body: '' });
  const during = await ask(query);
  expect(during.data).toEqual(before.data);
  expect(during.extensions.usage.upstream.stale).toBeGreaterThan(0);
  sandbox.clearFaults();
  clock.advance(60_000);
  const after = await ask(query);
  expect(after.data).toEqual(before.data);
  expect(after.extensions.usage.macro.used).toBe(1);
});

test('a 404 does not empty the list of all assets, but that of an exchange', async () => {
  const { ask, sandbox, clock } = await open();
  const query = '{ cryptoAssets(first: 3) { totalCount nodes { symbol } } }';
  const before = await ask(query);
  clock.advance(31_000);
  sandbox.fault({ kind: 'status', status: 404, path: '/crypto/prices', body: { error: 'x' } });
  const during = await ask(query);
  expect(during.data).toEqual(before.data);
  expect(during.extensions.usage.upstream.stale).toBe(1);
  const ofExchange = await ask('{ cryptoAssets(filter: { exchange: "x" }) { totalCount } }');
  expect(ofExchange.data).toEqual({ cryptoAssets: { totalCount: 0 } });
});

test('if the catalog is not there from the start, that is an error, not an unknown series', async () => {
  const { ask, cost, sandbox, clock } = await open();
  const query = '{ macroSeries(code: "TP.DK.USD.A") { name } }';
  sandbox.fault({ kind: 'status', status: 404, path: '/v1/macro/catalog', body: '' });
  const { errors, extensions } = await ask(query);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(extensions.usage.macro.used).toBe(0);
  sandbox.clearFaults();
  clock.advance(30_000);
  expect(await cost(query)).toBe(1);
});

test('prices that are stated to be in another currency than requested are never shown', async () => {
  const { ask, get, clock, sandbox } = await open();
  const query = '{ cryptoAsset(symbol: "BTC", convert: EUR) { price } }';
  const stateCurrency = (convert: unknown) =>
    sandbox.fault({ kind: 'rewrite', rewrite: (body) => Object.assign({}, body, { convert }) });
  stateCurrency('USD');
  const { data, errors, extensions } = await ask(query);
  expect(data).toEqual({ cryptoAsset: null });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(extensions.usage.credits.used).toBe(extensions.usage.upstream.requests);
  for (const convert of ['eur', '', null, 7]) {
    clock.advance(60_000);
    sandbox.clearFaults();
    stateCurrency(convert);
    expect(await get(query)).toMatchObject({ cryptoAsset: {} });
  }
});

test('an unreadable answer that was paid for is not requested again, even if the line is better known by then', async () => {
  const { ask, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000000' } });
  const rewrite = (body: unknown) => Object.assign({}, body, { convert: 'USD' });
  sandbox.fault({ kind: 'rewrite', path: '/crypto/prices', rewrite });
  for (const [i, field] of [
    'cryptoAssets(first: 3, convert: EUR) { nodes { price } }',
    'cryptoAsset(symbol: "BTC", convert: TRY) { price }',
  ].entries()) {
    const { errors, extensions } = await ask(`{ ${field} }`);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
    expect(extensions.usage.credits.used).toBe(1);
    expect(sandbox.requests()).toHaveLength(i + 1);
  }
});

test('what answers of Group A say about credits is ignored', async () => {
  const { cost, sandbox } = await open();
  const rewrite = (body: unknown) =>
    Object.assign({}, body, { creditsUsed: 4, creditsRemaining: 0 });
  sandbox.fault({ kind: 'rewrite', path: '/v1/fx/rates', rewrite });
  expect(await cost('{ fxRates { totalCount } }')).toBe(1);
  expect(await cost('{ fxRate(pair: "USDTRY") { history { change } } }')).toBe(1);
});

describe('an odd value in an optional field', () => {
  test.each([
    ['/v1/fx/rates', '{ list: fxRates { totalCount provenance { license upstreamCached } } }'],
    ['/crypto/prices', '{ list: cryptoAssets { totalCount timestamp } }'],
    ['/calendar/events', '{ list: calendarEvents { totalCount timezone } }'],
  ])('does not spoil a paid answer of %s', async (path, query) => {
    const { get, cost, sandbox } = await open();
    const odd = { license: 5, cached: 'true', timezone: 'Nowhere', timestamp: 1_763_900_000 };
    sandbox.fault({ kind: 'rewrite', path, rewrite: (body) => Object.assign({}, body, odd) });
    const { list } = await get<{ list: { totalCount: number } }>(query);
    const { totalCount, ...rest } = list;
    expect(totalCount).toBeGreaterThan(0);
    const nothing = { provenance: { license: null, upstreamCached: null } };
    expect({ ...nothing, timestamp: null, timezone: 'Europe/Istanbul' }).toMatchObject(rest);
    expect(await cost(query)).toBe(0);
  });

  test('of the health check is null, and does not make it fail', async () => {
    const { get, sandbox } = await open();
    const body = { success: true, status: 1, db: 'up', cache: true, time: 5 };
    sandbox.fault({ kind: 'status', status: 200, path: '/health', body });
    expect(await get('{ health { ok status db cache time } }')).toMatchObject({
      health: { ok: true, status: null, db: null, cache: true, time: null },
    });
  });
});

test.each(['Europe/Kyiv', 'Asia/Kolkata'])(
  "the calendar's time zone has the name that the upstream gives it (%s), even for days without events",
  async (timezone) => {
    const { get, sandbox, clock } = await open();
    sandbox.fault({
      kind: 'rewrite',
      path: '/calendar/events',
      rewrite: (body) => Object.assign({}, body, { timezone }),
    });
    const days = 'start: "2026-11-20", end: "2026-11-27"';
    const query = `{ calendarEvents(filter: { ${days} }) { timezone } }`;
    expect(await get(query)).toEqual({ calendarEvents: { timezone } });
    sandbox.clearFaults();
    sandbox.fault({ kind: 'status', status: 404, body: { success: false, error: 'no_data' } });
    const empty = query.replaceAll('2026', '1990').replace('timezone', 'totalCount timezone');
    expect(await get(empty)).toEqual({ calendarEvents: { totalCount: 0, timezone } });
    // By now the answer that stated it has expired.
    clock.advance(86_400_000);
    expect(await get(query)).toEqual({ calendarEvents: { timezone } });
    expect(await get(query.replace('27', '26'))).toEqual({ calendarEvents: { timezone } });
  },
);

test('a total that is too large for an Int is ignored', async () => {
  const { get, sandbox } = await open();
  const query = '{ legislationChanges(first: 1) { totalCount } }';
  const rewrite = (body: unknown) => Object.assign({}, body, { total: 3_000_000_000 });
  sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  const { legislationChanges } = await get<{ legislationChanges: { totalCount: number } }>(query);
  expect(legislationChanges.totalCount).toBeGreaterThan(100);
});

test.each([
  [401, 'UPSTREAM_AUTHENTICATION'],
  [402, 'INSUFFICIENT_CREDITS'],
  [422, 'BAD_USER_INPUT'],
  [429, 'RATE_LIMITED'],
  // Only the upstream's body could have said that nothing matches.
  [404, 'UPSTREAM_UNAVAILABLE'],
])('a refusal with status %d whose body breaks off is %s', (status, code) => {
  const body = new MarketError('UPSTREAM_UNAVAILABLE', { group: 'B' });
  const about = { meter: 'credits', emptyOn404: true } as const;
  const { units, result } = readOutcome(DIALECTS.B, about, { status, body }, 1);
  expect(units).toBe(0);
  expect(result).toMatchObject({ code });
});
