import { refuse } from '../documents/refusals.ts';
import { headOf } from './result-json.ts';

/** Why an operation is not let in: more is asked for than can be served. Clients act on it (docs/clients.md). */

const RETRY_AFTER_SECONDS = 1;

/** One for all: errors that are made anew cost most of what a refusal costs. */
export const OVERLOADED = refuse(
  'OVERLOADED',
  'The gateway is asked for more than it can serve: try again in a moment.',
  { status: 503, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  { retryAfter: RETRY_AFTER_SECONDS, retryable: true },
);

/** The response's JSON, up to its account. */
export const OVERLOADED_HEAD = headOf({ errors: [OVERLOADED] });
