/** Every machine code of section 7 of the spec, and two for what it leaves open: not_found and method_not_allowed. */
export type ErrorCode =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'quota_exceeded'
  | 'insufficient_credits'
  | 'invalid_parameter'
  | 'rate_limited'
  | 'no_data'
  | 'not_found'
  | 'method_not_allowed';

/** Thrown for a request that gets an error response. Each group gives the code an HTTP status (dialects.ts). */
export class ApiError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
  }
}
