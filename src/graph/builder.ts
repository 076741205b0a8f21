import SchemaBuilder from '@pothos/core';
import type { Context } from './context.ts';

interface Text {
  Input: string;
  Output: string;
}

/**
 * Where every type of the schema is registered. Scalars travel as the text they are: the arguments
 * of a field are checked together (arguments.ts), so that one message names the wrong one.
 *
 * A resolver with one parameter, or with its arguments as the second, can only read its object, and objects
 * with an id never change. What is selected of them may therefore be serialised without graphql-js, and the
 * text kept.
 */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    Date: Text;
    DateTime: Text;
    CurrencyPair: Text;
    CurrencyCode: Text;
    CountryCode: Text;
    ID: Text;
  };
}>({ defaultFieldNullability: false });

builder.queryType({ description: 'Market data, and what it costs.' });

/** What Pothos knows of this schema, where a function takes one of its types. */
export type SchemaTypes =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
