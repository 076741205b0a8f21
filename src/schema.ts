import { GraphQLSchema } from 'graphql';
import './graph/scalars.ts';
import './domains/fx/index.ts';
import './domains/macro/index.ts';
import './domains/legislation/index.ts';
import './domains/calendar/index.ts';
import './domains/crypto/index.ts';
import './domains/usage/index.ts';
import './domains/links.ts';
import { builder } from './graph/builder.ts';

const description =
  'Market data from two metered APIs: FX rates, macro series, changes to Turkish legislation, the economic calendar, crypto prices. Fields of an operation share upstream requests, and fresh data cost nothing; extensions.usage of each response says what the operation cost. With the header x-usage-dry-run: 1 nothing is spent, and it says what the operation would cost.';

/** The whole schema. Each domain is one of the imports above. */
export const schema = new GraphQLSchema({ ...builder.toSchema().toConfig(), description });
