import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Requests through node:http and those passed as Fetch API objects get the same answers. */

const rates = '{ fxRates(first: 2) { nodes { pair buying } totalCount } }';
const named =
  'query A { fxRate(pair: "USDTRY") { mid } } query B { fxRate(pair: "EURTRY") { mid } }';
const byPair = 'query ($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
const hash = (query: string) => createHash('sha256').update(query).digest('hex');
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

const bodies: [string, unknown][] = [
  ['a query', { query: rates }],
  ['nulls for all that is left out', { query: rates, variables: null, operationName: null }],
  ['variables', { query: byPair, variables: { pair: 'usd/try' } }],
  ['a wrong variable', { query: byPair, variables: { pair: 3 } }],
  ['a missing variable', { query: byPair }],
  ['one of two operations', { query: named, operationName: 'B' }],
  ['two operations and no name', { query: named }],
  ['an empty name, which is none', { query: rates, operationName: '' }],
  ['an operation that is not there', { query: named, operationName: 'C' }],
  [
    'a wrong argument beside a right field',
    { query: `{ a: fxRate(pair: "x") { mid } b: ${rates.slice(2)}` },
  ],
  [
    'an error that leaves no data',
    { query: `{ nodes(ids: ${JSON.stringify(Array(501).fill('a'))}) { id } }` },
  ],
  ['introspection', { query: '{ __schema { queryType { name } } __typename }' }],
  ['a mistake in the syntax', { query: '{ fxRates ' }],
  ['a field that is not there', { query: '{ fxRate(pair: "USDTRY") { colour } }' }],
  ['a subscription', { query: 'subscription { fxRatesUpdated { pair }' }],
  ['a parameter that nobody knows', { query: rates, colour: 'red' }],
  ['variables in a list', { query: rates, variables: [] }],
  ['extensions in a text', { query: rates, extensions: 'text' }],
  ['no query', { variables: {} }],
  ['a number for a query', { query: 3 }],
  ['a list', [{ query: rates }]],
  ['nothing', null],
  ['a hash that nobody registered', { extensions: persisted(hash('unknown')) }],
  ['a hash of another text', { query: rates, extensions: persisted(hash('unknown')) }],
  ['a text with its hash', { query: rates, extensions: persisted(hash(rates)) }],
  ['a hash that has been registered', { extensions: persisted(hash(rates)) }],
  ['an id that is not listed', { documentId: 'unknown' }],
];
const requests = bodies.map(([name, body]): [string, Record<string, string>, string] => [
  name,
  {},
  JSON.stringify(body),
]);
const plain = JSON.stringify({ query: rates });
const headers = [
  '*/*',
  'application/graphql-response+json',
  'application/json;q=0.5',
  'text/html',
  'text/event-stream',
  'multipart/mixed',
];
requests.push(
  ['what is no JSON', {}, '{"query":'],
  ['an empty body', {}, ''],
  ['a dry run', { 'x-usage-dry-run': '1' }, plain],
  ['JSON with its charset', { 'content-type': 'application/json; charset=utf-8' }, plain],
  ['JSON under another name', { 'content-type': 'application/graphql+json' }, plain],
  ['plain text', { 'content-type': 'text/plain' }, plain],
  ...headers.map((accept): [string, Record<string, string>, string] => [
    `accept: ${accept}`,
    { accept },
    plain,
  ]),
  ...headers
    .slice(0, 2)
    .map((accept): [string, Record<string, string>, string] => [
      `accept: ${accept}, and no data`,
      { accept },
      requests.find(([name]) => name === 'an error that leaves no data')![2],
    ]),
);

test('every request gets the same answer either way', async () => {
  const { url, fetch: handOver } = await open({ unreadUnits: 1 });
  const answerOf = async (response: Response) => {
    const { status } = response;
    const shown = ['content-type', 'cache-control', 'etag', 'vary', 'allow'];
    const text = await response.text();
    const { extensions: _account, ...rest } = text.startsWith('{') ? JSON.parse(text) : { text };
    return { status, headers: shown.map((name) => response.headers.get(name)), ...rest };
  };
  for (const round of ['first sent', 'sent again', 'from a kept answer'])
    for (const [name, more, body] of requests) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...more },
        body,
      };
      const wanted = await answerOf(await handOver(new Request('http://gateway/graphql', init)));
      expect(await answerOf(await fetch(url, init)), `${name}, ${round}`).toEqual(wanted);
    }
});
