import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Where graphql-js accepts more than the GraphQL specification. */

test.each(['{}', '{ fxRate(pair: "USDTRY") {} }', '{ fxRates { ...F } } fragment F on FxRates {}'])(
  'an empty selection is a syntax error, and costs nothing: %s',
  async (query) => {
    const { ask, sandbox } = await open();
    const { errors } = await ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
    expect(sandbox.requests()).toEqual([]);
  },
);
