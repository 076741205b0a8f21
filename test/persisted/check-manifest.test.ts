import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isInterfaceType } from 'graphql';
import { expect, test } from 'vitest';
import { METERS } from '../../src/meters.ts';
import { schema } from '../../src/schema.ts';
import { reportManifest } from '../../src/documents/report.ts';
import { sampleVariables } from '../../src/documents/samples.ts';
import { open, temporaryFolder } from '../harness.ts';
import { write } from './gateway.ts';

const MAIN = join(import.meta.dirname, '../../src/commands/check-manifest.ts');

const check = (...paths: string[]) => checkWith({}, ...paths);

async function checkWith(env: Record<string, string>, ...paths: string[]) {
  const child = spawn(process.execPath, [MAIN, ...paths], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output = { lines: '', problems: '' };
  child.stdout.on('data', (chunk) => (output.lines += String(chunk)));
  child.stderr.on('data', (chunk) => (output.problems += String(chunk)));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

const GOOD = { a: 'query A { __typename }', b: '{ __typename }' };

test('it lists the operations of a manifest that would be served, and the units they can spend', async () => {
  const history = 'query H($pair: CurrencyPair!) { fxRate(pair: $pair) { history { change } } }';
  const live = 'subscription S { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
  const path = write(temporaryFolder(), 'm.json', { ...GOOD, h: history, s: live });
  expect(await check(path)).toEqual({
    code: 0,
    lines: [
      'A  fx 0–0  macro 0–0  credits 0–0',
      'b  fx 0–0  macro 0–0  credits 0–0',
      'H  fx 0–2  macro 0–0  credits 0–0',
      'S  no price',
      '',
    ].join('\n'),
    problems: '',
  });
});

/** Operations whose cost depends on their variables, what is printed, and variables with which they cost the most. */
const VARYING = [
  {
    query:
      'query ConvertAny($from: CurrencyCode!, $to: CurrencyCode!, $amount: Float!) { convert(from: $from, to: $to, amount: $amount) { result rate } }',
    line: 'ConvertAny  fx 0–1  macro 0–0  credits 0–0',
    variables: { from: 'USD', to: 'TRY', amount: 1 },
  },
  {
    query:
      'query NextPage($after: String!) { cryptoAssets(first: 50, after: $after) { nodes { price } } }',
    line: 'NextPage  fx 0–0  macro 0–0  credits 0–1',
    variables: { after: '' },
  },
  {
    query: 'query AssetById($id: ID!) { node(id: $id) { ... on CryptoAsset { price } } }',
    line: 'AssetById  fx 0–1  macro 0–1  credits 0–1',
    variables: { id: 'CryptoAsset:BTC:USD::' },
  },
  {
    query:
      'query Objects($ids: [ID!]!) { nodes(ids: $ids) { ... on CryptoAsset { price } ... on CalendarEvent { actual } } }',
    line: 'Objects  fx 0–1  macro 0–1  credits 0–3',
    variables: { ids: ['CryptoAsset:BTC:USD::', 'CalendarEvent:2026-11-20:1'] },
  },
  {
    query:
      'query Ordered($order: CryptoAssetOrder!) { cryptoAssets(orderBy: $order) { nodes { price } } }',
    line: 'Ordered  fx 0–0  macro 0–0  credits 0–1',
    variables: { order: { field: 'CHANGE_24H' } },
  },
  {
    query:
      'query MaybeHistory($without: Boolean!) { fxRate(pair: "USDTRY") { mid history @skip(if: $without) { mean } } }',
    line: 'MaybeHistory  fx 0–2  macro 0–0  credits 0–0',
    variables: { without: false },
  },
  {
    query:
      'query Optional($with: Boolean = false) { fxRate(pair: "USDTRY") { mid history @include(if: $with) { mean } } }',
    line: 'Optional  fx 0–2  macro 0–0  credits 0–0',
    variables: { with: true },
  },
  {
    query:
      'query Currency($convert: ConvertCurrency = EUR) { cryptoAssets(convert: $convert) { nodes { price priceIn(convert: EUR) } } }',
    line: 'Currency  fx 0–0  macro 0–0  credits 0–2',
    variables: { convert: 'TRY' },
  },
  {
    query:
      'query Two($a: CurrencyPair!, $b: CurrencyPair!, $start: Date, $last: Int) { a: fxRate(pair: $a) { history(start: $start, last: $last) { mean } } b: fxRate(pair: $b) { history { mean } } }',
    line: 'Two  fx 0–4  macro 0–0  credits 0–0',
    variables: { a: 'USDTRY', b: 'EURTRY', last: 100 },
  },
];

const varyingManifest = () =>
  write(
    temporaryFolder(),
    'm.json',
    Object.fromEntries(VARYING.map(({ query }, i) => [`v${i}`, query])),
  );

test('it prints the most that any sample variables cost', async () => {
  const { lines } = await check(varyingManifest());
  expect(lines.trimEnd().split('\n')).toEqual(VARYING.map(({ line }) => line));
});

test('a gateway with an empty cache spends no more than is printed', async () => {
  const lines = (await check(varyingManifest())).lines.split('\n');
  const { another } = await open();
  for (const [i, { query, variables }] of VARYING.entries()) {
    const { errors, extensions } = await (await another()).ask(query, variables);
    expect(errors).toEqual([]);
    const [most = [], used] = [
      lines[i]?.match(/(?<=–)\d+/g)?.map(Number),
      METERS.map((meter) => extensions.usage[meter].used),
    ];
    expect(used.filter((units, meter) => units > (most[meter] ?? 0))).toEqual([]);
    expect(Math.max(...used)).toBeGreaterThan(0);
  }
});

test('what is always refused has no price; what exceeds the limit on requests costs that', async () => {
  const both = 'fxRate(pair: "USDTRY") { history(start: "2020-01-01", last: $last) { mean } }';
  const searches = Array.from(
    { length: 25 },
    (_, i) => `s${i}: legislationChanges(filter: { search: "s${i}" }) { totalCount }`,
  );
  const path = write(temporaryFolder(), 'm.json', {
    a: `query Refused($last: Int!) { ${both} }`,
    b: `query Limit($pair: CurrencyPair!) { fxRate(pair: $pair) { mid } ${searches.join(' ')} }`,
  });
  const { lines } = await check(path);
  expect(lines).toBe('Refused  no price\nLimit  fx 0–1  macro 0–0  credits 0–19\n');
  const raised = await checkWith({ MAX_UPSTREAM_REQUESTS_PER_OPERATION: '100' }, path);
  expect(raised.lines).toContain('Limit  fx 0–1  macro 0–0  credits 0–25\n');
});

test('each type with global ids has a sample id, in a list and alone', () => {
  const sets = (body: string) => sampleVariables(body, schema, '2026-11-20');
  const node = schema.getType('Node');
  const types = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
  const ids = types.map(({ name }) => expect.stringMatching(`^${name}:`));
  const [variables] = sets('query Ids($ids: [ID!]!) { nodes(ids: $ids) { id } }');
  const alone = sets('query Id($id: ID!) { node(id: $id) { id } }').map(({ id }) => id);
  for (const found of [variables?.['ids'], alone]) {
    expect(found).toHaveLength(types.length);
    expect(found).toEqual(expect.arrayContaining(ids));
  }
});

test('it exits non-zero with one line per problem', async () => {
  const long = `query D {${'\n'.repeat(600)} y }`;
  const content = { ...GOOD, c: 'query C { x }', d: long, e: 'query {' };
  const path = write(temporaryFolder(), 'm.json', content);
  const { code, lines, problems } = await check(path);
  expect({ code, lines }).toEqual({ code: 1, lines: '' });
  expect(problems.trimEnd().split('\n')).toEqual([
    expect.stringContaining(
      `${path}: operation C: Cannot query field "x" on type "Query". (line 1, column 11)`,
    ),
    expect.stringContaining(
      `${path}: operation D: Cannot query field "y" on type "Query". (line 601, column 2)`,
    ),
    expect.stringContaining(`${path}: operation e: Syntax Error`),
  ]);
});

test('without a file it says how it is used', async () => {
  expect(await check()).toMatchObject({ code: 2, problems: expect.stringContaining('usage') });
});

test('a price is printed beside each operation', async () => {
  const path = write(temporaryFolder(), 'm.json', GOOD);
  const priceOf = async ({ body }: { body: string }) => `0 to ${body.length} units`;
  const { lines } = await reportManifest([path], schema, priceOf);
  expect(lines).toEqual(['A  0 to 22 units', 'b  0 to 14 units']);
});

test('it ends silently if its reader has left', async () => {
  const path = write(temporaryFolder(), 'm.json', GOOD);
  const child = spawn(process.execPath, [MAIN, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let problems = '';
  child.stderr.on('data', (chunk) => (problems += String(chunk)));
  expect([await once(child, 'close'), problems]).toEqual([[0, null], '']);
});
