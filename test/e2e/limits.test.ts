import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Allowances, and what the gateway does when they run out. */

const RATE = '{ rate: fxRate(pair: "USDTRY") { mid } }';
const SERIES = '{ series: macroSeries(code: "TP.DK.USD.A") { name } }';
const ASSET = '{ asset: cryptoAsset(symbol: "BTC") { price } }';
const EVENTS = '{ events: calendarEvents { totalCount } }';
const MINUTE = 60_000;
/** How long until the next request may be sent if one a second is allowed, in milliseconds. */
const TURN_MS = 1050;

const METERS = [
  { meter: 'fx', group: 'A', code: 'QUOTA_EXCEEDED', query: RATE, none: { fxQuota: 0 } },
  { meter: 'macro', group: 'A', code: 'QUOTA_EXCEEDED', query: SERIES, none: { macroQuota: 0 } },
  {
    meter: 'credits',
    group: 'B',
    code: 'INSUFFICIENT_CREDITS',
    query: ASSET,
    none: { credits: 0 },
  },
] as const;

describe('an exhausted meter', () => {
  test.each(METERS)('$meter: $code names it, and nothing more is sent', async (wanted) => {
    const { meter, group, code, query, none } = wanted;
    const { ask, sandbox, clock } = await open(none);
    // No `resetsAt`: the upstream does not say when units are available again.
    const expected = { code, group, meter, retryable: false };
    for (let i = 0; i < 3; i += 1) {
      expect((await ask(query)).errors.map(({ extensions }) => extensions)).toEqual([expected]);
      expect(sandbox.requests()).toHaveLength(1);
    }
    clock.advance(MINUTE);
    await ask(query);
    expect(sandbox.requests()).toHaveLength(2);
  });

  test.each(METERS)('$meter: it is available again in a new month', async ({ query, none }) => {
    const { ask, cost, sandbox, clock } = await open(none);
    await ask(query);
    sandbox.set({ fxQuota: 10, macroQuota: 10, credits: 10 });
    expect((await ask(query)).errors).toHaveLength(1);
    clock.set('2026-12-01T00:00:01+03:00');
    expect(await cost(query)).toBe(1);
  });

  test('it is available again once any answer states a balance, even one that costs nothing', async () => {
    const { ask, cost, sandbox, clock } = await open({ credits: 0 });
    await ask(ASSET);
    sandbox.set({ credits: 10 });
    clock.advance(MINUTE);
    const found = 'legislationChanges(filter: { search: "found nowhere" }) { totalCount }';
    const { data, extensions } = await ask(`{ ${found} }`);
    expect(data).toEqual({ legislationChanges: { totalCount: 0 } });
    expect(extensions.usage.credits).toMatchObject({ used: 0, remaining: 10 });
    expect(await cost(ASSET)).toBe(1);
  });

  test('a refusal that arrives after the end of its month has no effect on the new one', async () => {
    const { ask, get, sandbox, clock } = await open({ fxQuota: 0 });
    clock.set('2026-11-30T23:59:59+03:00');
    const release = sandbox.fault({ kind: 'hold', times: 1 });
    const refused = ask(RATE);
    await expect.poll(() => sandbox.requests()).toHaveLength(1);
    clock.set('2026-12-01T00:00:01+03:00');
    release();
    expect((await refused).errors).toMatchObject([{ extensions: { code: 'QUOTA_EXCEEDED' } }]);
    sandbox.set({ fxQuota: null });
    await get(RATE);
  });

  test.each(METERS)(
    '$meter: a configured limit is never exceeded',
    async ({ meter, code, query }) => {
      const limits = {
        FX_MONTHLY_LIMIT: '1',
        MACRO_MONTHLY_LIMIT: '1',
        CREDITS_MONTHLY_LIMIT: '1',
      };
      const { ask, cost, sandbox, clock } = await open({ env: limits });
      expect(await cost(query)).toBe(1);
      clock.advance(86_400_000);
      const { errors, extensions } = await ask(query);
      const usage = extensions.usage[meter];
      // The stale answer is served instead, and marked as stale.
      expect(errors).toEqual([]);
      expect(extensions.usage.upstream.stale).toBeGreaterThan(0);
      expect(usage).toMatchObject({ used: 0, usedThisMonth: 1, limit: 1 });
      const other = query.replace('BTC', 'NOSUCH').replace('{ mid }', '{ mid history { change } }');
      const second = await ask(other.replace('{ name }', '{ name observations { change } }'));
      const resetsAt = '2026-11-30T21:00:00.000Z';
      expect(second.errors).toMatchObject([
        {
          message: expect.stringContaining(`(${meter} limit: 1); resets at ${resetsAt}`),
          extensions: { code, meter, limit: 1, resetsAt, retryable: false },
        },
      ]);
      expect(sandbox.requests()).toHaveLength(1);
    },
  );

  test('cached answers are still served', async () => {
    const { get, sandbox } = await open({ credits: 1 });
    const first = await get(ASSET);
    expect(await get(ASSET)).toEqual(first);
    expect(sandbox.requests()).toHaveLength(1);
  });
});

test('`remaining` is what the upstream said last, else the limit minus what was used, else null', async () => {
  const { ask, get } = await open({ credits: 50, env: { FX_MONTHLY_LIMIT: '10' } });
  await get(RATE);
  const { extensions } = await ask(ASSET);
  const { fx, macro, credits } = extensions.usage;
  expect(fx).toEqual({ used: 0, usedThisMonth: 1, limit: 10, remaining: 9 });
  expect(macro).toEqual({ used: 0, usedThisMonth: 0, limit: null, remaining: null });
  expect(credits).toEqual({ used: 1, usedThisMonth: 1, limit: null, remaining: 49 });
  const { usage } = await get<{ usage: unknown }>(`{ usage {
    fx { usedThisMonth limit remaining } credits { usedThisMonth limit remaining } } }`);
  const { used: _fx, ...fxNow } = fx;
  const { used: _credits, ...creditsNow } = credits;
  expect(usage).toEqual({ fx: fxNow, credits: creditsNow });
});

test('the health check, which costs nothing, does not count toward the allowed requests', async () => {
  const env = { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2' };
  const { ask, get, sandbox, clock } = await open({ env });
  const both = `${RATE.slice(1, -1)} ${SERIES.slice(1, -1)}`;
  await get(`{ health { ok } ${both} }`);
  expect(sandbox.requests()).toHaveLength(3);
  clock.advance(100);
  const { extensions } = await ask(`{ health { ok } ${both} }`);
  expect(extensions.usage.upstream.requests).toBe(1);
});

test('a request that the rate limit refused is retried in its turn, unnoticed by clients', async () => {
  const { get, sandbox, clock, log } = await open({ requestsPerSecond: 1 });
  const served = get(`{ ${[ASSET, EVENTS].map((query) => query.slice(1, -1)).join(' ')} }`);
  await expect.poll(log).toContain('RATE_LIMITED');
  clock.advance(TURN_MS);
  await served;
  const statuses = sandbox.requests().map(({ status }) => status);
  expect(statuses).toEqual([200, 429, 200]);
});

test('a known per-second limit is never exceeded', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '2' };
  const { get, sandbox, clock } = await open({ requestsPerSecond: 2, env });
  const changes = 'legislationChanges(filter: { start: "2026-11-01" }) { totalCount }';
  const served = get(`{ ${ASSET.slice(1, -1)} ${EVENTS.slice(1, -1)} ${changes} }`);
  await expect.poll(() => sandbox.requests()).toHaveLength(2);
  clock.advance(TURN_MS);
  await served;
  expect(sandbox.requests().map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('an upstream that cannot be reached is tried twice, and the other group is served', async () => {
  const { ask, sandbox, log } = await open({ env: { GROUP_A_URL: 'http://127.0.0.1:1' } });
  const { data, errors, extensions } = await ask(
    `{ ${RATE.slice(1, -1)} ${ASSET.slice(1, -1)} health { ok status } }`,
  );
  expect(errors).toMatchObject([
    { path: ['rate'], extensions: { code: 'UPSTREAM_UNAVAILABLE', group: 'A', retryable: true } },
  ]);
  expect(data).toMatchObject({
    rate: null,
    asset: { price: expect.any(Number) },
    health: { ok: false, status: null },
  });
  expect(extensions.usage.upstream).toMatchObject({ requests: 4, failed: 3 });
  expect(sandbox.requests()).toHaveLength(1);
  // The cause appears only in the log.
  expect(log()).toContain('ECONNREFUSED');
  expect(log()).not.toContain('127.0.0.1');
  expect(JSON.stringify(errors)).not.toContain('ECONNREFUSED');
});

test('the health check costs nothing and needs no key', async () => {
  const { ask, sandbox } = await open({ env: { GROUP_A_KEY: 'wrong' } });
  const { data, extensions } = await ask('{ health { ok status db cache time } }');
  const { status, db, cache, time } = sandbox.answer('A', '/health').body as Record<
    string,
    unknown
  >;
  expect(data).toEqual({ health: { ok: true, status, db, cache, time } });
  expect(sandbox.requests()).toMatchObject([{ path: '/health', status: 200, cost: 0 }]);
  expect(extensions.usage.upstream.requests).toBe(1);
});
