import * as apollo from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import * as fc from 'fast-check';
import * as sse from 'graphql-sse';
import * as ws from 'graphql-ws';
import { describe, expect, test } from 'vitest';
import type { Draft } from '../../src/studio/page/document.ts';
import { readLink, waysToShare } from '../../src/studio/page/share.ts';
import { open } from '../harness.ts';

/** An operation that is shared from the Studio. */

const ENDPOINT = 'http://127.0.0.1:4000/graphql';

function share(name: string, shared: Draft, url = ENDPOINT, hasKey = false): string {
  const way = waysToShare(shared).find((one) => one.name === name);
  return way!.write(shared, { url, hasKey, hash: 'ab12' });
}

const namesOf = (shared: Draft) => waysToShare(shared).map(({ name }) => name);

type Names = Readonly<Record<string, unknown>>;

/** Runs code with the names that it would import. */
async function runCode(code: string, names: Names): Promise<unknown> {
  const body = code.replaceAll(/^import .*$/gm, '');
  const run = Object.getPrototypeOf(async () => undefined).constructor as FunctionConstructor;
  return new run(...Object.keys(names), body)(...Object.values(names)) as Promise<unknown>;
}

const LIVE = {
  query: `query A { fxRates { totalCount } }
    subscription B($p: [CurrencyPair!]!) { fxRatesUpdated(pairs: $p) { ...Rate } }
    fragment Rate on FxRate { pair }`,
  variables: '{"p": ["USDTRY"]}',
  operationName: 'B',
};
const RATES = { fxRatesUpdated: [{ pair: 'USDTRY' }] };

test('a shared operation comes back from its link as it was', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.jsonValue(),
      fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      (query, value, operationName) => {
        const variables = JSON.stringify({ value }, null, 2);
        const { search } = new URL(share('Link', { query, variables, operationName }));
        const read = readLink(search);
        expect(read).toEqual({ query, variables: JSON.stringify({ value }), operationName });
      },
    ),
  );
});

test('a shared operation never carries a key', () => {
  const query = 'query A($p: X!) { fxRate(pair: $p) { pair } }';
  const shared = { query, operationName: 'A', variables: '{"p":"it\'s"}' };
  const curl = share('curl', shared, ENDPOINT, true);
  expect(curl).toContain('$MARKETGRAPH_KEY');
  expect(curl).toContain(String.raw`it'\''s`);
  expect(share('By id', shared, ENDPOINT, true)).toContain('sha256:ab12');
  for (const name of ['fetch', 'Apollo'])
    expect(share(name, shared, ENDPOINT, true)).toContain('Bearer ${key}');
  for (const name of ['graphql-sse', 'Apollo'])
    expect(share(name, LIVE, ENDPOINT, true)).toContain('Bearer ${key}');
});

describe('a shared operation as code that runs', () => {
  const names = { ...apollo, ...ws, GraphQLWsLink };

  test('fetch gets the answer', async () => {
    const { url } = await open();
    const shared = { query: 'query A { a: __typename } query B { b: __typename }', variables: '' };
    const code = share('fetch', { ...shared, operationName: 'B' }, url);
    expect(await runCode(`${code}\nreturn data;`, { fetch })).toEqual({ b: 'Query' });
  });

  test.each(['"a\\"b"', '"""\n a\\b `c` ${d}\n"""', String.raw`"\u0054P\n"`])(
    'Apollo asks for the same, through the client that the code makes: %s',
    async (text) => {
      const query = `query Some { macroSeries(code: ${text}) { code } }`;
      const code = share('Apollo', { query, variables: '' });
      const useQuery = (...asked: unknown[]) => ({ data: asked });
      const run = `${code}\nreturn [...data, client];`;
      const [document, options, client] = (await runCode(run, { ...names, useQuery })) as unknown[];
      expect(document).toEqual(apollo.gql(query));
      expect(options).toEqual({ client });
    },
  );

  test('graphql-sse gets live updates', async () => {
    const { url } = await open({ unreadUnits: 1 });
    const code = share('graphql-sse', LIVE, url).replace(
      'console.log(data ?? errors)',
      'return data',
    );
    expect(await runCode(code, sse)).toEqual(RATES);
  });

  test('Apollo gets live updates', async () => {
    const { url } = await open({ unreadUnits: 1 });
    const code = share('Apollo', LIVE, url);
    const useSubscription = (query: unknown, options: object) => ({ data: { query, ...options } });
    const run = `${code}\nreturn client.subscribe(data);`;
    const asked = await runCode(run, { ...names, useSubscription });
    const updates = asked as apollo.Observable<{ data: unknown }>;
    const first = Promise.withResolvers<unknown>();
    const subscription = updates.subscribe(({ data }) => first.resolve(data));
    expect(await first.promise).toMatchObject(RATES);
    subscription.unsubscribe();
  });
});

test('live updates are not shared by id, since no dry run tells the gateway their text', () => {
  expect(namesOf(LIVE)).not.toContain('By id');
  expect(namesOf({ ...LIVE, operationName: 'A' })).toContain('By id');
  expect(share('curl', LIVE)).toMatch(/^curl -sN .* -H 'accept: text\/event-stream'/);
  expect(share('Apollo', LIVE)).not.toContain('query A');
});
