import { expect, test } from 'vitest';

/** The page is separate JavaScript, unknown to the gateway's types. */
const page = new URL('../../src/console/page/format.js', import.meta.url).href;
const { clock, percent, monthOf, times } = (await import(page)) as {
  percent(part: number, whole: number): string;
  times(value: number): string;
  monthOf(instant: number, timeZone: string): string;
  clock(instant: number, timeZone: string): string;
};

test.each([
  [0, 251, '0 %'],
  [1, 251, '< 1 %'],
  [2, 251, '1 %'],
  [245, 251, '97.6 %'],
  [1, 0, '–'],
])('%d of %d is %s', (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});

test.each([
  [1.04, '1.0'],
  [9.84, '9.8'],
  [12.3, '12'],
  [131_072, '131,072'],
])('%d times is written as %s', (value, text) => {
  expect(times(value)).toBe(text);
});

test('a month begins at midnight of the time zone', () => {
  const instant = Date.parse('2026-12-31T21:30Z');
  expect(monthOf(instant, 'UTC')).toBe('2026-12');
  expect(monthOf(instant, 'Europe/Istanbul')).toBe('2027-01');
});

test('a time of day names its zone', () => {
  const instant = Date.parse('2026-12-31T21:30:05Z');
  expect(clock(instant, 'UTC')).toBe('21:30:05 UTC');
  expect(clock(instant, 'Europe/Istanbul')).toBe('00:30:05 GMT+3');
});
