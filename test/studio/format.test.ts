import { describe, expect, test } from 'vitest';
import { cell, percent } from '../../src/studio/page/format.ts';
import { problemInWords } from '../../src/studio/page/words.ts';
import { open } from '../harness.ts';

/** Tables and messages in readable form. */

test('a list without values is a dash, like a missing value', () => {
  expect(cell('')).toBe('–');
});

test.each([
  [15.98, '+16.0 %'],
  [-0.0204, '-0.02 %'],
  [0.004, '0.0 %'],
  [-0.004, '0.0 %'],
])('a change of %s per cent is shown as %s', (change, text) => {
  expect(percent(change)).toBe(text);
});

describe('GraphQL errors are explained in plain words', () => {
  test.each([
    ['{ fxRate(pair: "USDTRY") { pair ', /^The query ends too early/],
    [
      'query ($p: CurrencyPair!) { fxRate(pair: $p) { pair } }',
      /^The variable \$p is missing: it needs a value of type CurrencyPair\.$/,
    ],
    ['{ fxRate(pair: "USDTRY") { nope } }', /^FxRate has no field nope\./],
    ['{ fxRate(pair: "USDT") { pair } }', /^pair: "USDT" is not a currency pair/],
  ])('%s', async (query, expected) => {
    const { ask } = await open();
    const { errors } = await ask(query);
    expect(errors.map(problemInWords)).toEqual([expect.stringMatching(expected)]);
  });
});
