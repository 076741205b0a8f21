import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that fails on a client's text, and answers everything else. */

const TEXTS = ['100%', "'", '"', '\\', '%27', '100%of'];

test.each([
  ['/v1/macro/catalog?q=', 'macroCatalog(filter: { search: $text })', 'fxRates'],
  ['/legislation/changes', 'legislationChanges(filter: { institution: $text })', 'calendarEvents'],
  ['/crypto/prices', 'cryptoAssets(filter: { exchange: $text })', 'calendarEvents'],
  ['/crypto/prices', 'cryptoAssets(filter: { symbols: [$text] })', 'calendarEvents'],
])('%s: nobody else notices', async (path, field, other) => {
  const { ask, cost, sandbox } = await open();
  const release = sandbox.fault({ kind: 'status', status: 500, path });
  for (const text of TEXTS) {
    const query = `query ($text: String!) { ${field} { totalCount } }`;
    const { errors } = await ask(query, { text });
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  }
  release();
  expect(await cost(`{ ${other} { totalCount } }`)).toBe(1);
});
