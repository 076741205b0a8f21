import { createClient } from 'graphql-ws';
import {
  Environment,
  fetchQuery,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
  type SubscribeFunction,
} from 'relay-runtime';
import prices, {
  type relayPricesSubscription,
} from './generated/relayPricesSubscription.graphql.ts';
import rates, { type relayRatesQuery } from './generated/relayRatesQuery.graphql.ts';

/**
 * Relay: a network layer with queries by POST and live updates over WebSocket. Start the gateway with
 * `npm start`, then `npx node examples/relay.ts`. The files in `generated` are made from the texts below by
 * `npx relay-compiler@21.0.1`, run in this folder.
 */

const url = process.env['MARKETGRAPH_URL'] ?? 'http://127.0.0.1:4000/graphql';
/** A client's key, if clients have names: `npm run client -- add NAME` prints one. */
const key = process.env['MARKETGRAPH_KEY'] ?? '';
const headers = { authorization: `Bearer ${key}` };

const fetchResult: FetchFunction = async ({ text: query }, variables) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as GraphQLResponse;
};

const socket = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: headers });
const subscribe: SubscribeFunction = ({ text }, variables) =>
  Observable.create<GraphQLResponse>((sink) =>
    socket.subscribe(
      { query: text ?? '', variables },
      {
        next: (result) => sink.next(result as GraphQLResponse),
        error: (problem) => sink.error(new Error(JSON.stringify(problem))),
        complete: sink.complete,
      },
    ),
  );

const environment = new Environment({
  network: Network.create(fetchResult, subscribe),
  store: new Store(new RecordSource()),
});

/** Stands in for babel-plugin-relay, which a build uses to replace each text with what relay-compiler made of it. */
const graphql = ([text = '']: TemplateStringsArray) =>
  text.includes(rates.params.name) ? rates : prices;

const query = graphql`
  query relayRatesQuery($pairs: [CurrencyPair!]) {
    fxRates(filter: { pairs: $pairs }) {
      nodes {
        pair
        mid
      }
    }
  }
`;
const variables = { pairs: ['USDTRY'] };
const data = await fetchQuery<relayRatesQuery>(environment, query, variables).toPromise();
console.log('query', data?.fxRates?.nodes);

const { dispose } = requestSubscription<relayPricesSubscription>(environment, {
  subscription: graphql`
    subscription relayPricesSubscription($symbols: [String!]!) {
      cryptoAssetsUpdated(symbols: $symbols) {
        symbol
        price
      }
    }
  `,
  variables: { symbols: ['BTC'] },
  onNext(update) {
    console.log('live', update?.cryptoAssetsUpdated);
    dispose();
    void socket.dispose();
  },
  onError: console.error,
});
