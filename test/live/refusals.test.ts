import { expect, test } from 'vitest';
import { open } from './gateway.ts';

/** An error in one operation over a WebSocket is reported as over HTTP, and does not affect the others. */

const PAIR = 'query ($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
const ASSETS =
  'subscription ($in: ConvertCurrency!) { cryptoAssetsUpdated(symbols: ["BTC"], convert: $in) { price } }';

const INVALID: [what: string, code: string, query: string, variables?: Record<string, unknown>][] =
  [
    ['a document too deep', 'GRAPHQL_PARSE_FAILED', '{a'.repeat(4900) + '}'.repeat(4900)],
    [
      'two operations without a name',
      'OPERATION_RESOLUTION_FAILURE',
      'query A {a:__typename} query B {b:__typename}',
    ],
    ['a missing variable', 'BAD_USER_INPUT', PAIR],
    ['a wrong variable', 'BAD_USER_INPUT', PAIR, { pair: 1 }],
    ['a wrong variable of a subscription', 'BAD_USER_INPUT', ASSETS, { in: 'GBP' }],
  ];

test.for(INVALID)(
  '%s is %s, and the next operation is served',
  async ([, code, query, variables]) => {
    const live = await open();
    const socket = live.socket();
    const wrong = socket.subscribe(query, variables);
    const errors = (await wrong.ended) ?? wrong.events[0]?.errors;
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(JSON.stringify(errors)).not.toContain('http');
    const served = socket.subscribe('{ __typename }');
    await served.ended;
    expect(served.events[0]?.data).toEqual({ __typename: 'Query' });
    expect(live.sandbox.requests()).toEqual([]);
  },
);
