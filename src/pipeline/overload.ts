import { GraphQLError } from 'graphql';
import type { HttpHints } from '../documents/refusals.ts';
import { headOf } from './result-json.ts';

/** Why an operation is not let in: more is asked for than can be served. Clients act on it (docs/clients.md). */

const RETRY_AFTER_SECONDS = 1;

const http: HttpHints = {
  status: 503,
  headers: { 'cache-control': 'no-store', 'retry-after': String(RETRY_AFTER_SECONDS) },
};

/** One for all: errors that are made anew cost most of what a refusal costs. */
export const OVERLOADED = new GraphQLError(
  'The gateway is asked for more than it can serve: try again in a moment.',
  { extensions: { code: 'OVERLOADED', retryAfter: RETRY_AFTER_SECONDS, retryable: true, http } },
);

/** The response's JSON, up to its account. */
export const OVERLOADED_HEAD = headOf({ errors: [OVERLOADED] });
