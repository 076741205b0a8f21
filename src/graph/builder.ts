import SchemaBuilder from '@pothos/core';
import type { Context } from './context.ts';

interface Text {
  Input: string;
  Output: string;
}

/**
 * Where every type of the schema is registered. Scalars travel as the text they are: the arguments
 * of a field are checked together (arguments.ts), so that one message can name the wrong one.
 *
 * A resolver that takes nothing but its object only reads it, and objects with an id never change:
 * such selections are written as JSON at once, and remembered (../projection).
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
    ID: { Input: string; Output: string };
  };
}>({ defaultFieldNullability: false });

builder.queryType({ description: 'Market data, and what it costs.' });
