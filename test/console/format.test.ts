import { expect, test } from 'vitest';

/** The page is JavaScript of its own, which the types of the gateway do not know. */
const page = new URL('../../src/console/page/format.js', import.meta.url).href;
const { percent } = (await import(page)) as { percent(part: number, whole: number): string };

test.each([
  [0, 251, '0 %'],
  [1, 251, '< 1 %'],
  [2, 251, '1 %'],
  [245, 251, '97.6 %'],
  [1, 0, '–'],
])('%d of %d is %s', (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});
