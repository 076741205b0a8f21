import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Aliases repeat texts that are cached once: the size of the answer is limited however few values it has. */

const repeated = (count: number, field: string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');
const NAMES = repeated(1000, 'name');
const ASSET = 'cryptoAsset(symbol: "BTC")';
const ASSETS = 'cryptoAssets(first: 2)';

test.each([
  ['an object', `{ ${ASSET} { ${NAMES} } }`],
  ['many objects', `{ ${repeated(200, `${ASSET} { symbol name }`)} }`],
  [
    'an object whose fields are conditional',
    `{ ${ASSET} { ... @include(if: $yes) { ${NAMES} } } }`,
  ],
  [
    'an item whose fields are conditional',
    `{ ${ASSETS} { nodes { ... @include(if: $yes) { ${NAMES} } } } }`,
  ],
])('an answer that is too large is one error: %s', async (_what, selection) => {
  const { ask } = await open({ env: { MAX_ANSWER_BYTES: '5000' } });
  const query = selection.includes('$yes') ? `query ($yes: Boolean!) ${selection}` : selection;
  const { data, errors } = await ask(query, { yes: true });
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_TOO_LARGE' } }]);
  expect(errors[0]?.message).toContain('MAX_ANSWER_BYTES');
});

test.each([
  ['compiled', `{ ${ASSET} { ${NAMES} } ${ASSETS} { nodes { ${NAMES} } } }`],
  ['not compiled', `query ($yes: Boolean!) { ${ASSET} { ... @include(if: $yes) { ${NAMES} } } }`],
])('an answer that is just small enough is complete: %s', async (_what, query) => {
  const { ask } = await open({ env: { MAX_ANSWER_BYTES: '100000' } });
  const { data, errors } = await ask<{ cryptoAsset: Record<string, string> }>(query, { yes: true });
  expect(errors).toEqual([]);
  expect(Object.values(data.cryptoAsset)).toEqual(Array.from({ length: 1000 }, () => 'Bitcoin'));
});
