import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayAt, formatDay, monthAt, parseDay, parseInstant, startOf } from '../src/time.ts';

const ZONES = ['Europe/Istanbul', 'America/New_York', 'Asia/Kathmandu', 'UTC', 'Pacific/Apia'];

/** Midnight comes twice there on some days, and not at all on others. */
const CHANGING_AT_MIDNIGHT = ['America/Santiago', 'America/Havana', 'Asia/Amman', 'Asia/Beirut'];

const pad = (n: number, length: number) => String(n).padStart(length, '0');

/** By the platform's calendar, independent of the tested arithmetic. */
function platformDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
  return isReal ? ms / 86_400_000 : undefined;
}

describe('days', () => {
  test('are read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (day) => {
        expect(parseDay(formatDay(day))).toBe(day);
      }),
    );
  });

  test("match the platform's, at the edges of every month of 10,000 years", () => {
    const wrong: string[] = [];
    for (let year = 0; year < 10_000; year += 1)
      for (let month = 0; month <= 13; month += 1)
        for (const day of [0, 1, 28, 29, 30, 31, 32]) {
          const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
          if (parseDay(text) !== platformDay(text)) wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });

  test('are not read from other texts', () => {
    const near = fc
      .tuple(fc.integer({ min: 0, max: 3_652_000 }), fc.nat(10), fc.string({ maxLength: 2 }))
      .map(([day, at, junk]) => {
        const text = formatDay(day - 719_528);
        return text.slice(0, at) + junk + text.slice(at + junk.length);
      });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        expect(parseDay(text)).toBe(platformDay(text));
      }),
      { numRuns: 5000 },
    );
  });

  test.each(['', '2026-02-29', '2026-11-31', '2026-13-01', '2026-1-01', '20261120', ' 2026-11-20'])(
    '%j is rejected',
    (text) => expect(parseDay(text)).toBeUndefined(),
  );

  test('a leap day exists, between its neighbors', () => {
    const days = ['2028-02-28', '2028-02-29', '2028-03-01'].map((text) => parseDay(text) ?? 0);
    expect([days[1]! - days[0]!, days[2]! - days[1]!]).toEqual([1, 1]);
  });
});

describe('an instant', () => {
  /** By the platform's calendar, independent of the tested arithmetic. */
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

describe('a day', () => {
  test('begins at its first instant, in zones whose clocks change at midnight, too', () => {
    const day = fc.integer({ min: 7305, max: 25_567 });
    // Apia once skipped a whole day, when it moved to the other side of the date line.
    const usual = ZONES.filter((name) => name !== 'Pacific/Apia');
    const zone = fc.constantFrom(...usual, ...CHANGING_AT_MIDNIGHT);
    fc.assert(
      fc.property(day, zone, (at, timezone) => {
        const start = startOf(at, timezone);
        expect(dayAt(start, timezone)).toBe(at);
        expect(dayAt(start - 1, timezone)).toBe(at - 1);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['Europe/Istanbul', '2026-11-21', '2026-11-20T21:00:00.000Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['Asia/Amman', '2021-10-29', '2021-10-28T21:00:00.000Z'],
    ['Asia/Amman', '2021-10-30', '2021-10-29T22:00:00.000Z'],
  ])('in %s, %s, begins at %s', (zone, day, instant) => {
    expect(new Date(startOf(parseDay(day) ?? Number.NaN, zone)).toISOString()).toBe(instant);
  });
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

describe('a date-time of the upstream', () => {
  test.each([
    ['2026-11-20T10:00:00+03:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T07:00:00.123Z', '2026-11-20T07:00:00.123Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00+03', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20T10:00:00+0300', '2026-11-20T10:00:00+03:00'],
    ['2026-11-20 10:00:00', '2026-11-20T10:00:00+03:00'],
  ])('%s is served as %s', (text, served) => {
    expect(parseInstant(text, 'Europe/Istanbul')).toBe(served);
  });

  test.each([
    '',
    'soon',
    '2026-11-20',
    '2026-02-30T10:00:00Z',
    '2026-11-20T25:00Z',
    '2026-11-20T24:00:00',
    '2026-11-20T24:00:00Z',
    '2026-11-20T24:00:00+03:00',
    '2026-11-20T23:59:60Z',
    '2026-11-20T10:00:00+24:00',
    '2026-11-20T10:00:00+03:60',
  ])('%j is rejected', (text) => expect(parseInstant(text, 'UTC')).toBeUndefined());

  test.each([
    ['2026-03-08T01:59:00', '-05:00'],
    ['2026-03-08T03:00:00', '-04:00'],
    ['2026-11-01T00:59:00', '-04:00'],
    ['2026-11-01T02:00:00', '-05:00'],
  ])('without an offset has that of its zone at the time: %s in New York %s', (text, offset) => {
    expect(parseInstant(text, 'America/New_York')).toBe(text + offset);
  });

  test('with an offset is served unchanged, if the platform knows such an instant', () => {
    const number = (max: number) => fc.nat(max).map((n) => pad(n, 2));
    const text = fc
      .tuple(
        fc.constantFrom('2024-02-29', '2026-02-29', '2026-11-31', '2026-11-20', '0000-01-01'),
        fc.tuple(number(25), number(61), number(61)).map((parts) => parts.join(':')),
        fc.constantFrom('', '.', '.5', '.123', '.123456789', '.1234567890'),
        fc.oneof(
          fc.constant('Z'),
          fc
            .tuple(fc.constantFrom('+', '-'), number(25), number(61))
            .map(([s, h, m]) => `${s}${h}:${m}`),
        ),
      )
      .map(([date, time, fraction, offset]) => `${date}T${time}${fraction}${offset}`);
    fc.assert(
      fc.property(text, (whole) => {
        const isReal = platformDay(whole.slice(0, 10)) !== undefined && RFC_3339.test(whole);
        // The platform also accepts 24:00, which RFC 3339 does not allow.
        const known = isReal && whole.slice(11, 13) !== '24' && !Number.isNaN(Date.parse(whole));
        expect(parseInstant(whole, 'UTC')).toBe(known ? whole : undefined);
      }),
      { numRuns: 5000 },
    );
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
