import { describe, expect, test } from 'vitest';
import { createClock, open } from './harness.ts';
import * as spec from './spec.ts';

const parse = (answer: { body: unknown }) => spec.calendar.parse(answer.body);

describe('calendar events', () => {
  test('cover by default today and the seven days after it, in order of time', async () => {
    const { b } = await open();
    const { data, timezone } = parse(await b('/calendar/events'));
    const times = data.map(({ datetime }) => datetime);
    expect(timezone).toBe('Europe/Istanbul');
    expect(times).toEqual(times.toSorted());
    expect(times[0]?.slice(0, 10)).toBe('2026-11-20');
    expect(times.every((time) => time.slice(0, 10) <= '2026-11-27')).toBe(true);
    expect(times.every((time) => time.endsWith('+03:00'))).toBe(true);
  });

  test('reach from two months back to two months ahead', async () => {
    const { b } = await open();
    const { data } = parse(await b('/calendar/events?start=2026-01-01&end=2027-12-31'));
    expect(data[0]?.datetime.slice(0, 7)).toBe('2026-09');
    expect(data.at(-1)?.datetime.slice(0, 7)).toBe('2027-01');
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    expect(new Set(data.map(({ country }) => country)).size).toBeGreaterThanOrEqual(6);
    expect(data.some(({ indicator }) => indicator === 'TR_POLICY_RATE')).toBe(true);
  });

  test('"today" is the day in Istanbul, not in UTC', async () => {
    const { b } = await open({ now: () => Date.parse('2026-11-23T21:30:00Z') });
    const { data } = parse(await b('/calendar/events'));
    expect(data[0]?.datetime.slice(0, 10)).toBe('2026-11-24');
  });

  test('are filtered by countries, importance and currency', async () => {
    const { b } = await open();
    const base = '/calendar/events?start=2026-10-01&end=2026-12-31';
    const all = parse(await b(base)).data;
    const query = '&countries=de,TR&importance=medium&currency=EUR';
    const some = parse(await b(base + query)).data;
    const wanted = all.filter(
      ({ country, importance, currency }) =>
        ['DE', 'TR'].includes(country) && importance === 'medium' && currency === 'EUR',
    );
    expect(some.length).toBeGreaterThan(0);
    expect(some).toEqual(wanted);
  });

  test('are released by the clock: then actual, surprise and impact are there', async () => {
    const clock = createClock(Date.parse('2026-12-03T09:59:59+03:00'));
    const { b } = await open({ now: clock.now });
    const read = async () => {
      const path = '/calendar/events?start=2026-12-03&end=2026-12-03&countries=TR';
      const { data } = parse(await b(path));
      return data.find(({ indicator }) => indicator === 'TR_CPI_YOY');
    };
    const before = await read();
    expect(before?.actual).toBeNull();
    expect(before).not.toHaveProperty('surprise');
    expect(before).not.toHaveProperty('impact');
    clock.set('2026-12-03T10:00:00+03:00');
    const after = await read();
    expect(after?.actual).toBeTypeOf('number');
    expect(after).toMatchObject({ id: before?.id, forecast: before?.forecast });
    if (!after || !('surprise' in after)) throw new Error('not released');
    expect(after.surprise).toBeCloseTo(after.actual - after.forecast, 6);
    clock.set('2027-01-20T10:00:00+03:00');
    expect(await read()).toEqual(after);
  });

  test.each([
    ['?importance=huge', 422, 'invalid_parameter'],
    ['?countries=TUR', 422, 'invalid_parameter'],
    ['?currency=TL', 422, 'invalid_parameter'],
    ['?start=tomorrow', 422, 'invalid_parameter'],
    ['?start=2026-11-22&end=2026-11-21', 422, 'invalid_parameter'],
    ['?start=2026-12-24', 422, 'invalid_parameter'],
    ['?countries=ZZ', 404, 'no_data'],
    ['?start=2026-11-21&end=2026-11-22', 404, 'no_data'],
    ['?start=2020-01-01&end=2020-12-31', 404, 'no_data'],
  ])('%s is refused with %i %s and costs nothing', async (query, status, code) => {
    const { b, sandbox } = await open();
    const answer = await b(`/calendar/events${query}`);
    expect([answer.status, spec.errorB.parse(answer.body).code]).toEqual([status, code]);
    expect(sandbox.spent().credits).toBe(0);
  });
});
