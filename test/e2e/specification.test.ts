import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Where graphql-js goes beyond the published GraphQL specification, and clients would notice. */

test.each(['{}', '{ fxRate(pair: "USDTRY") {} }', '{ fxRates { ...F } } fragment F on FxRates {}'])(
  'an empty selection is a syntax error, and costs nothing: %s',
  async (query) => {
    const { ask, sandbox } = await open();
    const { errors } = await ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
    expect(sandbox.requests()).toEqual([]);
  },
);

/** Section 4.2.6, __DirectiveLocation, of the edition of September 2025. */
const LOCATIONS = [
  'QUERY',
  'MUTATION',
  'SUBSCRIPTION',
  'FIELD',
  'FRAGMENT_DEFINITION',
  'FRAGMENT_SPREAD',
  'INLINE_FRAGMENT',
  'VARIABLE_DEFINITION',
  'SCHEMA',
  'SCALAR',
  'OBJECT',
  'FIELD_DEFINITION',
  'ARGUMENT_DEFINITION',
  'INTERFACE',
  'UNION',
  'ENUM',
  'ENUM_VALUE',
  'INPUT_OBJECT',
  'INPUT_FIELD_DEFINITION',
];

interface Introspected {
  __schema: { directives: { locations: string[] }[] };
}

test('introspection names no location of a directive that clients may not know', async () => {
  const { get } = await open();
  const { __schema } = await get<Introspected>(getIntrospectionQuery());
  const named = __schema.directives.flatMap(({ locations }) => locations);
  expect(named).not.toEqual([]);
  expect(named.filter((location) => !LOCATIONS.includes(location))).toEqual([]);
});
