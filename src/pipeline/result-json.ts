import type { ExecutionResult, GraphQLError } from 'graphql';
import { jsonOf } from '../json.ts';

/** Results as JSON text in two parts: the data are the same for all clients, the account is not. */

/** Returns a response's JSON up to the end of its `data`. */
export function headOf(result: ExecutionResult): string {
  const errors = result.errors ? `"errors":${JSON.stringify(result.errors.map(errorJson))}` : '';
  if (!('data' in result)) return `{${errors}`;
  return `{${errors && `${errors},`}"data":${jsonOf(result.data)}`;
}

/** Returns the rest of the response: the account, which is JSON already. */
export const tailOf = (extensions: string): string => `,"extensions":${extensions}}`;

/** Returns the JSON text of a result that has its account among the extensions. */
export function resultJson(result: ExecutionResult): string {
  return headOf(result) + tailOf(JSON.stringify(result.extensions));
}

/** Returns an error as clients see it, without `extensions.http`, which is only for the transport. */
export function errorJson(error: GraphQLError) {
  const { extensions, ...rest } = error.toJSON();
  const { http: _http, ...shownExtensions } = extensions ?? {};
  return { ...rest, extensions: shownExtensions };
}
