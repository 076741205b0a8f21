import { errors } from 'undici';
import { errorCode } from '../maybe.ts';
import type { FailureCode } from './errors.ts';

/** Why a request got no answer that can be read. */

/** The code of a request that failed for this reason. A body that is too large would be so again: it is not retried. */
export function codeOf(reason: string | undefined, hasTimedOut: boolean): FailureCode {
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'UPSTREAM_BAD_RESPONSE';
  return hasTimedOut || reason?.endsWith('TIMEOUT') ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE';
}

/** The code of a system, TLS or undici error, e.g. ECONNREFUSED. Messages name hosts; codes do not. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof errors.HTTPParserError) return 'HTTP_PARSER_ERROR';
  const code = errorCode(error) ?? '';
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}
