import { GraphQLError } from 'graphql';
import { builder } from './builder.ts';

/** The schema's own scalars: text that is passed on as it is (see builder.ts). */

const SCALARS = {
  Date: 'A calendar day, YYYY-MM-DD.',
  DateTime: 'An instant, RFC 3339 with an offset.',
  CurrencyPair:
    'Six letters, base then quote, e.g. USDTRY. Input is case-insensitive and may carry / or - between the halves.',
  CurrencyCode: 'An ISO 4217 alphabetic code, e.g. TRY. Input is case-insensitive.',
  CountryCode:
    "An ISO 3166-1 alpha-2 code, or a currency area's code such as EU. Input is case-insensitive.",
} as const;

for (const name of ['Date', 'DateTime', 'CurrencyPair', 'CurrencyCode', 'CountryCode'] as const)
  builder.scalarType(name, {
    description: SCALARS[name],
    serialize: (value) => value,
    parseValue(value) {
      if (typeof value === 'string') return value;
      throw new GraphQLError(`${name} must be a string`, {
        extensions: { code: 'BAD_USER_INPUT' },
      });
    },
  });
