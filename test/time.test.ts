import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayAt, formatDay, monthAt, parseDay, parseInstant } from '../src/time.ts';

const ZONES = ['Europe/Istanbul', 'America/New_York', 'Asia/Kathmandu', 'UTC', 'Pacific/Apia'];

describe('days', () => {
  test('are read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (day) => {
        expect(parseDay(formatDay(day))).toBe(day);
      }),
    );
  });

  test.each(['', '2026-02-29', '2026-11-31', '2026-13-01', '2026-1-01', '20261120', ' 2026-11-20'])(
    '%j is none',
    (text) => expect(parseDay(text)).toBeUndefined(),
  );

  test('a leap day is one, between the days beside it', () => {
    const days = ['2028-02-28', '2028-02-29', '2028-03-01'].map((text) => parseDay(text) ?? 0);
    expect([days[1]! - days[0]!, days[2]! - days[1]!]).toEqual([1, 1]);
  });
});

describe('an instant', () => {
  /** The calendar of the platform, independent of our arithmetic. */
  function dateIn(timeZone: string, instant: number): string {
    const format = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    return new Intl.DateTimeFormat('en-CA', format).format(instant);
  }

  const instant = fc.integer({
    min: Date.parse('1990-01-01T00:00:00Z'),
    max: Date.parse('2040-01-01T00:00:00Z'),
  });

  test('falls on the day and in the month that its time zone has then', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...ZONES), (at, zone) => {
        expect(formatDay(dayAt(at, zone))).toBe(dateIn(zone, at));
        expect(monthAt(at, zone)).toBe(dateIn(zone, at).slice(0, 7));
      }),
      { numRuns: 2000 },
    );
  });

  test('a second before and after midnight in Istanbul are two days and two months', () => {
    const midnight = Date.parse('2026-12-01T00:00:00+03:00');
    expect(formatDay(dayAt(midnight - 1000, 'Europe/Istanbul'))).toBe('2026-11-30');
    expect(formatDay(dayAt(midnight, 'Europe/Istanbul'))).toBe('2026-12-01');
    expect(monthAt(midnight - 1000, 'Europe/Istanbul')).toBe('2026-11');
    expect(monthAt(midnight, 'Europe/Istanbul')).toBe('2026-12');
  });
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

describe('a date-time of the upstream', () => {
  test.each([
    ['2026-11-20T10:00:00+03:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T07:00:00.123Z', '2026-11-20T07:00:00.123Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00+03:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00:00+0300', '2026-11-20T10:00:00+03:00'],
  ])('%s is served as %s', (text, served) => {
    expect(parseInstant(text, 'Europe/Istanbul')).toBe(served);
  });

  test.each([
    '',
    'soon',
    '2026-11-20',
    '2026-11-20 10:00',
    '2026-02-30T10:00:00Z',
    '2026-11-20T25:00Z',
  ])('%j is none', (text) => expect(parseInstant(text, 'UTC')).toBeUndefined());

  test.each([
    ['2026-03-08T01:59:00', '-05:00'],
    ['2026-03-08T03:00:00', '-04:00'],
    ['2026-11-01T00:59:00', '-04:00'],
    ['2026-11-01T02:00:00', '-05:00'],
  ])('without an offset has that of its zone at the time: %s in New York %s', (text, offset) => {
    expect(parseInstant(text, 'America/New_York')).toBe(text + offset);
  });

  test('without an offset names an instant whose local time it is', () => {
    const minute = fc.integer({ min: 10_000_000, max: 35_000_000 });
    fc.assert(
      fc.property(minute, fc.constantFrom(...ZONES), (at, zone) => {
        const text = new Date(at * 60_000).toISOString().slice(0, 19);
        const served = parseInstant(text, zone) ?? '';
        expect(served).toMatch(RFC_3339);
        expect(served.slice(0, 19)).toBe(text);
      }),
    );
  });
});
