import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that fails on what one client has chosen freely, and answers everything else. */

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

test.each(['0000-01-01', '9999-12-31'])(
  'a day that it cannot compute with, as %s: nobody else notices',
  async (day) => {
    const { ask, cost, sandbox } = await open();
    const release = sandbox.fault({ kind: 'status', status: 500, path: '/v1/macro/series' });
    const history = `observations(start: "${day}", end: "${day}") { change }`;
    const fields = ['TP.DK.USD.A', 'TP.DK.EUR.A', 'TP.DK.GBP.A', 'TP.DK.CHF.A', 'TP.DK.JPY.A'].map(
      (code, i) => `s${i}: macroSeries(code: "${code}") { ${history} }`,
    );
    const { errors } = await ask(`{ ${fields.join(' ')} }`);
    expect(errors).toHaveLength(fields.length);
    release();
    expect(await cost('{ fxRates { totalCount } }')).toBe(1);
  },
);
