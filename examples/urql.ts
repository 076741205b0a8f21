import { createHash } from 'node:crypto';
import { cacheExchange, Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { getOperationName, type TypedDocumentNode } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient } from 'graphql-ws';
import manifest from '../src/operations/generated/apollo-manifest.json' with { type: 'json' };
import { RatesDocument, type TypedDocumentString } from '../src/operations/generated/graphql.ts';

/**
 * urql: a typed query that is sent as its id in the manifest, a query that registers itself, and live updates over
 * WebSocket. Start the gateway with
 * `PERSISTED_DOCUMENTS=src/operations/generated/apollo-manifest.json npm start`, then
 * `npx node examples/urql.ts`.
 */

const url = process.env['MARKETGRAPH_URL'] ?? 'http://127.0.0.1:4000/graphql';
/** A client's key, if clients have names: `npm run client -- add NAME` prints one. */
const key = process.env['MARKETGRAPH_KEY'] ?? '';
const headers = { authorization: `Bearer ${key}` };

/** Converts a generated document to the form that urql takes, and keeps its types. */
const typed = <Data, Variables>(
  text: TypedDocumentString<Data, Variables>,
): TypedDocumentNode<Data, Variables & object> => gql(text.toString());

const ids = new Map(manifest.operations.map(({ name, id }) => [name, id]));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const socket = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: headers });
const client = new Client({
  url,
  preferGetMethod: true,
  fetchOptions: { headers },
  exchanges: [
    cacheExchange,
    persistedExchange({
      generateHash: async (text, document) =>
        ids.get(getOperationName(document) ?? '') ?? sha256(text),
    }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
      }),
    }),
  ],
});

const rates = await client.query(typed(RatesDocument), { filter: { pairs: ['USDTRY'] } });
console.log('by id', rates.error ?? rates.data?.fxRates?.nodes[0]);

const bitcoin = gql<{ cryptoAsset: { price: number } }, object>`
  query Bitcoin {
    cryptoAsset(symbol: "BTC") {
      id
      price
    }
  }
`;
const { data, error } = await client.query(bitcoin, {});
console.log('registered', error ?? data?.cryptoAsset.price);

const updates = gql<{ fxRatesUpdated: { pair: string; mid: number }[] }, object>`
  subscription Dollar {
    fxRatesUpdated(pairs: ["USDTRY"]) {
      id
      pair
      mid
    }
  }
`;
const { unsubscribe } = client.subscription(updates, {}).subscribe((update) => {
  console.log('live', update.error ?? update.data?.fxRatesUpdated);
  unsubscribe();
  void socket.dispose();
});
