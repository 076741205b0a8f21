import { expect, test } from 'vitest';
import { dayAt, isTimezone } from '../src/time.ts';

test.each(['Europe/Istanbul', 'UTC', 'Asia/Calcutta', 'America/Argentina/Ushuaia'])(
  '%s is a time zone, in which days can be told',
  (name) => {
    expect(isTimezone(name)).toBe(true);
    expect(dayAt(0, name)).toBeTypeOf('number');
  },
);

test.each(['Mars/Olympus', 'IST', 'CST', 'TRT', ''])('%j is none', (name) => {
  expect(isTimezone(name)).toBe(false);
});
