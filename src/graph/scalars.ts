import { GraphQLError, Kind } from 'graphql';
import { builder } from './builder.ts';

/** The schema's own scalars: text that is passed on as it is (see builder.ts). */

interface Description {
  description: string;
  /** Where the format is specified. */
  specifiedByURL?: string;
}

const NAMES = ['Date', 'DateTime', 'CurrencyPair', 'CurrencyCode', 'CountryCode'] as const;

const SCALARS: Record<(typeof NAMES)[number], Description> = {
  Date: {
    description: 'A calendar day, YYYY-MM-DD.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  },
  DateTime: {
    description: 'An instant, RFC 3339 with an offset.',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  },
  CurrencyPair: {
    description:
      'Six letters, base then quote, e.g. USDTRY. Input is case-insensitive and may carry / or - between the halves.',
  },
  CurrencyCode: {
    description: 'An ISO 4217 alphabetic code, e.g. TRY. Input is case-insensitive.',
    specifiedByURL: 'https://www.iso.org/iso-4217-currency-codes.html',
  },
  CountryCode: {
    description:
      "An ISO 3166-1 alpha-2 code, or a currency area's code such as EU. Input is case-insensitive.",
    specifiedByURL: 'https://www.iso.org/iso-3166-country-codes.html',
  },
};

for (const name of NAMES)
  builder.scalarType(name, {
    ...SCALARS[name],
    serialize: (value) => value,
    coerceInputValue(value) {
      if (typeof value === 'string') return value;
      throw new GraphQLError(`${name} must be a string`, {
        extensions: { code: 'BAD_USER_INPUT', retryable: false },
      });
    },
    // `undefined` makes validation report the literal with its location. Enum literals pass, since
    // people write `[USD]` without quotes.
    coerceInputLiteral: (literal) =>
      literal.kind === Kind.STRING || literal.kind === Kind.ENUM ? literal.value : undefined,
  });
