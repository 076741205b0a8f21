import { expect, test } from 'vitest';
import { createCheckDocument } from '../../src/documents/check.ts';
import { schema } from '../../src/schema.ts';

/** Which parsed documents are kept. */

const MIB = 1024 * 1024;
const text = (i: number) =>
  `{ ${'fxRates(first: 3) { totalCount } '.repeat(20)} a${i}: __typename }`;

test('documents sent once take at most 8 MiB, and a later one that is sent again is parsed once more', () => {
  const check = createCheckDocument(schema);
  for (let i = 0; i < 500; i += 1) check(text(i));
  expect(check.size()).toBeLessThanOrEqual(8 * MIB);
  expect(check.known(text(0))).toBeDefined();
  expect(check.known(text(499))).toBeUndefined();

  const again = check(text(499));
  expect(again.errors).toEqual([]);
  expect(check(text(499))).toBe(again);
});

test('fields that a short text selects through fragments count, too, if they depend on variables', () => {
  const fields = (name: string, field: string) =>
    Array.from({ length: 60 }, (_, i) => `${name}${i}: ${field}`).join(' ');
  const selecting = (first: number | string, variables = '') =>
    `query Q${variables} { ${fields('a', `cryptoAssets(first: ${first}) { ...C }`)} }
    fragment C on CryptoAssetConnection { ${fields('b', 'nodes { id }')} }`;
  const sizeOf = (query: string) => {
    const check = createCheckDocument(schema);
    expect(check(query).errors).toEqual([]);
    return check.size();
  };
  const fixed = sizeOf(selecting(3));
  expect(fixed).toBeLessThan(MIB);
  expect(sizeOf(selecting('$n', '($n: Int)'))).toBeGreaterThan(fixed + MIB);
});
