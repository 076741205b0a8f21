import type { GraphQLError } from 'graphql';
import { z } from 'zod';
import { decodedPart } from '../encoding.ts';
import { isObject, parseJson } from '../json.ts';
import { badRequest, unsupportedVersion } from './refusals.ts';

/**
 * The parameters of a GraphQL request, and where among them the id of its document is
 * (docs/wire-formats.md section 2). The GraphQL-over-HTTP working group still changes this, so no other
 * file knows where an id arrives.
 */

/** The parameters that may hold an id; `referenceOf` has their order. */
const ID_PARAMETERS = ['documentId', 'doc_id', 'documentID', 'id'] as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value);
const object = z.custom<Record<string, unknown>>(isRecord, 'must be an object');
const parameters = z.object({
  query: z.string('must be a string').nullish(),
  operationName: z.string('must be a string').nullish(),
  variables: object.nullish(),
  extensions: object.nullish(),
  documentId: z.unknown().optional(),
  doc_id: z.unknown().optional(),
  documentID: z.unknown().optional(),
  id: z.unknown().optional(),
});

/** What a request asks for, as its client sent it. Unknown parameters are left out. */
export type Parameters = Partial<z.infer<typeof parameters>>;

/** Reads the parameters of a request. Throws GraphQLError with the name of the first that is not valid. */
export function readParameters(value: unknown): Parameters {
  if (isPlain(value)) return value;
  if (Array.isArray(value)) throw badRequest('Batching is not supported: send one operation.');
  const { success, data, error } = parameters.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const name = issue?.path[0];
  if (name === undefined) throw badRequest('The parameters must be an object.');
  throw badRequest(`The parameter "${String(name)}" ${issue?.message ?? 'cannot be read'}.`);
}

/** Whether there is only a text, an operation name and variables, as in most requests: faster than the full check. */
function isPlain(value: unknown): value is Parameters {
  if (!isRecord(value)) return false;
  for (const name of Object.keys(value)) {
    const one = value[name];
    if (
      name === 'variables' ? !isRecord(one) : !TEXT_PARAMETERS.has(name) || typeof one !== 'string'
    )
      return false;
  }
  return true;
}

const TEXT_PARAMETERS: ReadonlySet<string> = new Set(['query', 'operationName']);

/** An id that a request sends instead of a text, or along with it. */
export interface Reference {
  id: string;
  /** Whether it was sent as `extensions.persistedQuery`: then the client can register a missing text. */
  automatic: boolean;
}

/** Returns the first id among the parameters, in this order; an error if it is not a valid one. */
export function referenceOf(sent: Parameters): Reference | GraphQLError | undefined {
  return (
    named('documentId', sent) ??
    automatic(sent.extensions?.['persistedQuery']) ??
    named('doc_id', sent) ??
    named('documentID', sent) ??
    named('id', sent)
  );
}

function named(name: (typeof ID_PARAMETERS)[number], sent: Parameters) {
  const id = sent[name];
  // Relay's network layers send an empty id along with the text of an operation that is not persisted.
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id === 'string') return { id, automatic: false };
  return badRequest(`The parameter "${name}" must be a string.`);
}

function automatic(persistedQuery: unknown): Reference | GraphQLError | undefined {
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  if (typeof persistedQuery !== 'object')
    return badRequest('"extensions.persistedQuery" must be an object.');
  if (!('version' in persistedQuery) || persistedQuery.version !== 1) return unsupportedVersion();
  const id = 'sha256Hash' in persistedQuery ? persistedQuery.sha256Hash : undefined;
  if (typeof id === 'string' && id !== '') return { id, automatic: true };
  return badRequest('"extensions.persistedQuery.sha256Hash" must be a string that is not empty.');
}

/** Returns the text that was sent, if any: some clients send an empty one along with an id. */
export function textOf({ query }: Parameters): string | undefined {
  return typeof query === 'string' && query !== '' ? query : undefined;
}

/** Reads the parameters in the query string of a GET. Throws GraphQLError if one is not valid. */
export function readSearch(url: string): Parameters {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start < 0 ? '' : url.slice(start));
  const text = (name: string) => search.get(name) || undefined;
  return readParameters({
    operationName: text('operationName'),
    query: text('query'),
    variables: fromJson('variables', text('variables')),
    extensions: fromJson('extensions', text('extensions')),
    ...Object.fromEntries(ID_PARAMETERS.map((name) => [name, text(name)])),
  });
}

function fromJson(name: string, json: string | undefined): unknown {
  const value = json === undefined ? null : parseJson(json);
  if (value === undefined) throw badRequest(`The parameter "${name}" is not JSON.`);
  return value;
}

/** `/graphql/<id>[/<operationName>]`. */
const PATH = /^\/graphql\/([^/?#]+)(?:\/([^/?#]+))?\/?(?=[?#]|$)/;

/** A segment that cannot be decoded is used as it is: no document has such an id. */
const decode = (segment: string): string => decodedPart(segment) ?? segment;

/** Adds the id and the operation's name in the path; those among the parameters take precedence. */
export function withPath(sent: Parameters, url: string): Parameters {
  const match = PATH.exec(url);
  if (!match) return sent;
  const [, id = '', name] = match;
  const completed = { ...sent, operationName: sent.operationName || (name && decode(name)) };
  return referenceOf(sent) ? completed : { ...completed, documentId: decode(id) };
}
