import { createClient } from 'graphql-sse';

/**
 * graphql-sse: live updates over plain HTTP, in "distinct connections mode" (the default). Unlike the
 * EventSource of browsers, it can send a header with the key. Start the gateway with `npm start`, then
 * `npx node examples/graphql-sse.ts`.
 */

const url = process.env['MARKETGRAPH_URL'] ?? 'http://127.0.0.1:4000/graphql';
/** A client's key, if clients have names: `npm run client -- add NAME` prints one. */
const key = process.env['MARKETGRAPH_KEY'] ?? '';
const headers = { authorization: `Bearer ${key}` };

const client = createClient({ url, headers });

interface Rates {
  fxRatesUpdated: { pair: string; mid: number }[];
}

// Leaving the loop unsubscribes.
for await (const { data, errors } of client.iterate<Rates>({
  query:
    'subscription Dollar($pairs: [CurrencyPair!]!) { fxRatesUpdated(pairs: $pairs) { pair mid } }',
  variables: { pairs: ['USDTRY'] },
})) {
  console.log('live', errors ?? data?.fxRatesUpdated);
  break;
}
client.dispose();
