import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that fails on what one client has chosen freely, and answers everything else. */

/** Longer than the pause of a group that does not answer. */
const LONGEST_PAUSE_MS = 10_000;
/** How long texts wait after one of them was sent to see whether the group is back, and failed. */
const TEXT_PAUSE_MS = 1000;

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

test('after an outage, a client whose texts fail does not delay anybody else', async () => {
  let monotonic = 0;
  const { ask, cost, sandbox } = await open({ monotonic: () => monotonic });
  const down = sandbox.fault({ kind: 'status', status: 503, group: 'B' });
  for (let i = 0; i < 4; i += 1)
    await ask(`{ legislationChanges(filter: { institution: "${i}" }) { totalCount } }`);
  down();
  monotonic += LONGEST_PAUSE_MS;
  sandbox.fault({ kind: 'status', status: 500, path: (path) => path.includes('q=') });
  const search = async (text: string) => {
    const { extensions } = await ask(
      `{ legislationChanges(filter: { search: "${text}" }) { totalCount } }`,
    );
    return extensions.usage.upstream.requests;
  };
  expect(await search('first')).toBe(1);
  expect(await Promise.all(['second', 'third', 'fourth'].map(search))).toEqual([0, 0, 0]);
  monotonic += TEXT_PAUSE_MS;
  expect(await search('fifth')).toBe(1);
  const waiting = ['sixth', 'seventh'].map(search);
  expect(await cost('{ calendarEvents { totalCount } }')).toBe(1);
  await Promise.all(waiting);
});
