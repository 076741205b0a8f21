/** Every machine code of section 7 of the spec, and three for what it leaves open. */
export type RefusalCode =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'quota_exceeded'
  | 'insufficient_credits'
  | 'invalid_parameter'
  | 'rate_limited'
  | 'no_data'
  | 'not_found'
  | 'method_not_allowed';

/** A request that is not answered with data. Each group gives the code its HTTP status. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}
