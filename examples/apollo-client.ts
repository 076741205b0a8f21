import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import type { TypedDocumentNode } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';
import { RatesDocument, type TypedDocumentString } from '../src/operations/generated/graphql.ts';

/**
 * Apollo Client 4: a typed query, sent by GET as a hash so that a CDN can cache the answer, and live
 * updates over WebSocket. Start the gateway with `npm start`, then `npx node examples/apollo-client.ts`.
 */

const url = process.env['MARKETGRAPH_URL'] ?? 'http://127.0.0.1:4000/graphql';
/** A client's key, if clients have names: `npm run client -- add NAME` prints one. */
const key = process.env['MARKETGRAPH_KEY'] ?? '';
const headers = { authorization: `Bearer ${key}` };

/** Converts a generated document to the form that Apollo Client takes, and keeps its types. */
const typed = <Data, Variables>(
  text: TypedDocumentString<Data, Variables>,
): TypedDocumentNode<Data, Variables & Record<string, unknown>> => gql(text.toString());

const socket = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: headers });
const http = ApolloLink.from([
  // Sends the hash; if the gateway does not know it yet, sends the text once.
  new PersistedQueryLink({
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    useGETForHashedQueries: true,
  }),
  new HttpLink({ uri: url, headers }),
]);
const link = ApolloLink.split(
  ({ operationType }) => operationType === 'subscription',
  new GraphQLWsLink(socket),
  http,
);

/** Types without an id: fields that one query has loaded are kept when another one loads more. */
const WITHOUT_ID = [
  'CalendarEventConnection',
  'CryptoAssetConnection',
  'FxRateConnection',
  'LegislationChangeConnection',
  'MacroSeriesConnection',
  'Meter',
  'Provenance',
  'TimeSeries',
  'Usage',
];
const typePolicies = Object.fromEntries(WITHOUT_ID.map((name) => [name, { merge: true }]));
const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });

const query = typed(RatesDocument);
const variables = { filter: { pairs: ['USDTRY', 'EURTRY'] } };
for (const attempt of ['registered', 'by hash']) {
  const { data } = await client.query({ query, variables, fetchPolicy: 'network-only' });
  console.log(
    attempt,
    data?.fxRates?.nodes.map(({ pair, mid }) => `${pair} ${mid}`),
  );
}

interface Update {
  cryptoAssetsUpdated: { symbol: string; price: number }[];
}

const prices: TypedDocumentNode<Update, { symbols: string[] }> = gql`
  subscription Prices($symbols: [String!]!) {
    cryptoAssetsUpdated(symbols: $symbols) {
      id
      symbol
      price
    }
  }
`;
const updates = client.subscribe({ query: prices, variables: { symbols: ['BTC', 'ETH'] } });
const subscription = updates.subscribe(({ data, error }) => {
  console.log(
    'live',
    error?.message ?? data?.cryptoAssetsUpdated.map(({ symbol, price }) => `${symbol} ${price}`),
  );
  subscription.unsubscribe();
  void socket.dispose();
});
