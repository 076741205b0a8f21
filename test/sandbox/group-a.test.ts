import { describe, expect, test } from 'vitest';
import { createClock, open } from './harness.ts';
import * as spec from './spec.ts';

describe('FX rates', () => {
  test('are at least 40 pairs in the envelope of the spec, buying below selling', async () => {
    const { a } = await open();
    const body = spec.fxRates.parse((await a('/v1/fx/rates')).body);
    expect(body.source).toBe('fx');
    expect(body.data.length).toBeGreaterThanOrEqual(40);
    expect(new Set(body.data.map(({ pair }) => pair)).size).toBe(body.data.length);
    for (const { buying, selling } of body.data) expect(buying).toBeLessThan(selling);
    const rate = Object.fromEntries(body.data.map(({ pair, buying }) => [pair, buying]));
    expect(rate['USDTRY']).toSatisfy((value: number) => value > 41 && value < 47);
    expect(rate['EURUSD']).toSatisfy((value: number) => value > 1.08 && value < 1.24);
    expect(rate['EURTRY']! / (rate['USDTRY']! * rate['EURUSD']!)).toBeCloseTo(1, 3);
  });

  test('move with the clock, and stand still on a weekend', async () => {
    const clock = createClock();
    const { sandbox } = await open({ now: clock.now });
    const ratesAt = (time: string) => {
      clock.set(time);
      return spec.fxRates.parse(sandbox.answer('A', '/v1/fx/rates').body);
    };
    expect(ratesAt('2026-11-20T12:00:00Z').data).not.toEqual(ratesAt('2026-11-20T12:00:05Z').data);
    const saturday = ratesAt('2026-11-21T12:00:00Z');
    expect(saturday.data).toEqual(ratesAt('2026-11-22T20:00:00Z').data);
    expect(saturday.asOf).toBe('2026-11-21T00:00:00+03:00');
  });
});

describe('FX history', () => {
  test('covers by default the seven days before today and today, without weekends', async () => {
    const { a } = await open();
    const body = spec.history.parse((await a('/v1/fx/rates/USDTRY/history')).body);
    expect(body.data.map(({ date }) => date)).toEqual([
      '2026-11-13',
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
    ]);
  });

  test('has no point on a public holiday or in the future', async () => {
    const { a } = await open();
    const path = '/v1/fx/rates/USDTRY/history?start=2026-10-28&end=2026-10-30';
    const holiday = spec.history.parse((await a(path)).body);
    expect(holiday.data.map(({ date }) => date)).toEqual(['2026-10-28', '2026-10-30']);
    const future = await a('/v1/fx/rates/USDTRY/history?start=2026-11-21&end=2026-12-31');
    expect(spec.history.parse(future.body).data).toEqual([]);
  });

  test('never changes for a settled day, and ends in the current buying rate', async () => {
    const clock = createClock();
    const { sandbox } = await open({ now: clock.now });
    const read = () => {
      const path = '/v1/fx/rates/EURUSD/history?start=2024-01-01&end=2026-11-20';
      return spec.history.parse(sandbox.answer('A', path).body).data;
    };
    const before = read();
    const rates = spec.fxRates.parse(sandbox.answer('A', '/v1/fx/rates').body).data;
    expect(before.at(-1)?.value).toBe(rates.find(({ pair }) => pair === 'EURUSD')?.buying);
    clock.set('2027-03-03T09:00:00+03:00');
    const after = read();
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)?.date).toBe('2026-11-20');
  });

  test.each([
    ['/v1/fx/rates/XXXTRY/history', 404, 'not_found'],
    ['/v1/fx/rates/usdtry/history', 404, 'not_found'],
    ['/v1/fx/rates/USDTRY/history?start=20-11-2026', 400, 'invalid_parameter'],
    ['/v1/fx/rates/USDTRY/history?end=2026-02-30', 400, 'invalid_parameter'],
    ['/v1/fx/rates/USDTRY/history?start=2026-11-19&end=2026-11-18', 400, 'invalid_parameter'],
    ['/v1/fx/rates/USDTRY/history?end=2026-11-01', 400, 'invalid_parameter'],
    ['/v1/macro/series/TP.NOPE', 404, 'not_found'],
    ['/v1/macro/series/TP.DK.USD.A?start=yesterday', 400, 'invalid_parameter'],
  ])('%s is refused with %i %s and costs nothing', async (path, status, code) => {
    const { a, sandbox } = await open();
    const answer = await a(path);
    expect([answer.status, spec.errorA.parse(answer.body).error]).toEqual([status, code]);
    expect(sandbox.spent()).toEqual({ fx: 0, macro: 0, credits: 0 });
  });
});

describe('macro series', () => {
  test('are a catalog of 100 dotted codes, searchable in Turkish spelling', async () => {
    const { a } = await open();
    const all = spec.catalog.parse((await a('/v1/macro/catalog')).body);
    expect(all.source).toBe('macro');
    expect(new Set(all.data.map(({ code }) => code)).size).toBe(100);
    const find = async (q: string) => {
      const answer = await a(`/v1/macro/catalog?q=${encodeURIComponent(q)}`);
      return spec.catalog.parse(answer.body).data.map(({ code }) => code);
    };
    expect(await find('dk.usd')).toEqual(['TP.DK.USD.A', 'TP.DK.USD.S']);
    expect(await find('İNGİLİZ')).toEqual(['TP.DK.GBP.A', 'TP.DK.GBP.S']);
    expect(await find('no such thing')).toEqual([]);
  });

  test('cover by default the last 30 days, each at its frequency', async () => {
    const { a } = await open();
    const datesOf = async (code: string) => {
      const answer = await a(`/v1/macro/series/${code}`);
      return spec.history.parse(answer.body).data.map(({ date }) => date);
    };
    const daily = await datesOf('TP.DK.USD.A');
    expect([daily[0], daily.at(-1), daily.length]).toEqual(['2026-10-21', '2026-11-20', 22]);
    expect(await datesOf('TP.PR.ARZ22')).toEqual([
      '2026-10-23',
      '2026-10-30',
      '2026-11-06',
      '2026-11-13',
      '2026-11-20',
    ]);
    expect(await datesOf('TP.FG.J0')).toEqual(['2026-11-01']);
  });

  test('keep their settled points as time goes by', async () => {
    const clock = createClock();
    const { sandbox } = await open({ now: clock.now });
    const codes = ['TP.DK.USD.A', 'TP.PR.ARZ22', 'TP.FG.J0'];
    const read = () =>
      codes.map((code) => {
        const path = `/v1/macro/series/${code}?start=2026-01-01&end=2026-11-20`;
        return spec.history.parse(sandbox.answer('A', path).body).data;
      });
    const before = read();
    clock.set('2027-06-01T00:00:00+03:00');
    expect(read()).toEqual(before);
  });
});

test('license and cached are sometimes absent, and the license sometimes empty', async () => {
  const clock = createClock();
  const { sandbox } = await open({ now: clock.now });
  const seen = new Set<string>();
  for (let second = 0; second < 60; second += 5) {
    clock.set(`2026-11-20T10:00:${String(second).padStart(2, '0')}Z`);
    for (const path of ['/v1/fx/rates', '/v1/macro/catalog', '/v1/macro/series/TP.FG.J0']) {
      const { license, cached } = spec.history
        .omit({ data: true })
        .loose()
        .parse(sandbox.answer('A', path).body);
      seen.add(`cached ${cached}`).add(license === undefined ? 'no license' : `license ${license}`);
    }
  }
  const states = ['cached true', 'cached false', 'cached undefined', 'no license', 'license '];
  for (const state of states) expect(seen).toContain(state);
  expect([...seen].join()).toContain('Synthetic');
});
