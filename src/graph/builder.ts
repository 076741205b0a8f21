import SchemaBuilder from '@pothos/core';
import type { Context } from './context.ts';

interface Text {
  Input: string;
  Output: string;
}

/**
 * The builder with which every type of the schema is registered. Scalars are passed on as plain text: the arguments of
 * a field are checked together (arguments.ts), so that one message names the wrong one.
 *
 * A resolver with one parameter, or with the field's arguments as its second, can read only its object, and objects
 * with an id never change. What is selected of them may therefore be serialized without graphql-js, and the text kept.
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

/** The type parameters of the builder, for functions that take one of its types. */
export type SchemaTypes =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
