import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/studio/page/document.ts';
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
    ['{ fxRate(pair: "USDTRY") { pair ', /^The query ends too early.*\(line 1\)\.$/],
    ['{ fxRates }\n}', /^Syntax Error: Unexpected "}" \(line 2\)\.$/],
    ['{ fxRate(pair: “USDTRY”) { pair } }', /^A curly quotation mark .* \(line 1\)\.$/],
    [
      'query ($p: CurrencyPair!) { fxRate(pair: $p) { pair } }',
      /^The variable \$p is missing: it needs a value of type CurrencyPair\.$/,
    ],
    ['{ fxRate(pair: "USDTRY") { nope } }', /^FxRate has no field nope\./],
    ['{ fxRate(pair: "USDT") { pair } }', /^pair: "USDT" is not a currency pair/],
  ])('%s', async (query, expected) => {
    const { url } = await open();
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const { errors } = (await reply.json()) as { errors: Problem[] };
    expect(errors.map(problemInWords)).toEqual([expect.stringMatching(expected)]);
  });
});
