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
  'Market data over two metered interfaces: FX rates, macro series, changes to Turkish legislation, the economic calendar, crypto prices. What is asked at the same time is asked for together, and what is fresh costs nothing; extensions.usage of each answer tells what it has cost. With the header x-usage-dry-run: 1 nothing is spent, and it tells what the operation would cost.';

/** The whole schema: a domain is one of the lines above. */
export const schema = new GraphQLSchema({ ...builder.toSchema().toConfig(), description });
