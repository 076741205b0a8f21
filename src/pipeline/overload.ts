import { refuse } from '../documents/refusals.ts';
import { headOf } from './result-json.ts';

/** The error of operations that are refused because of overload. Clients act on it (docs/clients.md). */

const RETRY_AFTER_SECONDS = 1;

/** One error for all: creating a new one would be most of the cost of a refusal. */
export const OVERLOADED = refuse(
  'OVERLOADED',
  'The gateway is overloaded: try again in a moment.',
  { status: 503, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  { retryAfter: RETRY_AFTER_SECONDS, retryable: true },
);

/** The response's JSON, up to its account. */
export const OVERLOADED_HEAD = headOf({ errors: [OVERLOADED] });
