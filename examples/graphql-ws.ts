import { createClient } from 'graphql-ws';

/**
 * graphql-ws alone: a query and live updates over one WebSocket. Start the gateway with `npm start`, then
 * `npx node examples/graphql-ws.ts`.
 */

const url = process.env['MARKETGRAPH_URL'] ?? 'http://127.0.0.1:4000/graphql';
/** A client's key, if clients have names: `npm run client -- add NAME` prints one. */
const key = process.env['MARKETGRAPH_KEY'] ?? '';
const headers = { authorization: `Bearer ${key}` };

const client = createClient({
  url: url.replace(/^http/, 'ws'),
  // Browsers cannot send headers with a WebSocket: the key is in the first message.
  connectionParams: headers,
  on: {
    closed(event) {
      const { code } = event as { code: number };
      if (code === 4401) console.error('The key is wrong, or has been revoked.');
    },
  },
});

interface Bitcoin {
  cryptoAsset: { price: number };
}

for await (const { data, errors } of client.iterate<Bitcoin>({
  query: '{ cryptoAsset(symbol: "BTC") { price } }',
}))
  console.log('query', errors ?? data?.cryptoAsset.price);

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
await client.dispose();
