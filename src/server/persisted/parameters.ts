import type { GraphQLError } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { badRequest, unsupportedVersion } from './refusals.ts';

/**
 * Where requests say which document they mean (wire-formats.md section 2). The GraphQL-over-HTTP
 * group still moves this about, so nothing else knows where an id arrives.
 */

/** First one wins; `extensions.persistedQuery` comes after the first of these, the path last. */
const NAMES = ['documentId', 'doc_id', 'documentID', 'id'] as const;

/** Some listed operations are for one client only, which says its name in this header. */
export const CLIENT_NAME = 'apollographql-client-name';

/** The parameters of a request, as its client sent them. */
export type Parameters = GraphQLParams & { [name in (typeof NAMES)[number]]?: unknown };

export interface Reference {
  id: string;
  /** Sent as `extensions.persistedQuery`: the client knows how to register what is missing. */
  automatic: boolean;
}

/** The document that the parameters name; undefined where they name none. */
export function referenceOf(parameters: Parameters): Reference | GraphQLError | undefined {
  return (
    named('documentId', parameters) ??
    automatic(parameters.extensions?.['persistedQuery']) ??
    named('doc_id', parameters) ??
    named('documentID', parameters) ??
    named('id', parameters)
  );
}

function named(name: (typeof NAMES)[number], parameters: Parameters) {
  const id = parameters[name];
  // Relay's network layers send an empty id along with the text of what is not persisted.
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id === 'string') return { id, automatic: false };
  return badRequest(`Expected "${name}" to be a string.`);
}

function automatic(persistedQuery: unknown): Reference | GraphQLError | undefined {
  if (persistedQuery === undefined || persistedQuery === null) return undefined;
  if (typeof persistedQuery !== 'object') return badRequest('Expected an object: persistedQuery.');
  if (!('version' in persistedQuery) || persistedQuery.version !== 1) return unsupportedVersion();
  const id = 'sha256Hash' in persistedQuery ? persistedQuery.sha256Hash : undefined;
  if (typeof id === 'string' && id !== '') return { id, automatic: true };
  return badRequest('Expected "persistedQuery.sha256Hash" to be a string.');
}

/** The text that came along, if any: some clients send an empty one beside an id. */
export function textOf({ query }: Parameters): string | undefined {
  return typeof query === 'string' && query !== '' ? query : undefined;
}

/** The parameters that every GraphQL server knows, without the ids. */
export function withoutIds(parameters: Parameters): GraphQLParams {
  if (!NAMES.some((name) => name in parameters)) return parameters;
  const kept = { ...parameters };
  for (const name of NAMES) delete kept[name];
  return kept;
}

/** The parameters in the query string of a GET. Throws GraphQLError where one is not JSON. */
export function readSearch(url: string): Parameters {
  const start = url.indexOf('?');
  const search = new URLSearchParams(start < 0 ? '' : url.slice(start));
  const text = (name: string) => search.get(name) || undefined;
  const parameters: Parameters = {
    operationName: text('operationName'),
    query: text('query'),
    variables: fromJson('variables', text('variables')),
    extensions: fromJson('extensions', text('extensions')),
  };
  for (const name of NAMES) parameters[name] = text(name);
  return parameters;
}

function fromJson(name: string, text: string | undefined) {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw badRequest(`The parameter "${name}" is not JSON.`);
  }
}

const PATH = /^(?:https?:\/\/[^/?#]+)?\/graphql\/([^/?#]+)(?:\/([^/?#]+))?\/?(?=[?#]|$)/;

interface Path {
  id: string;
  operationName: string | undefined;
}

/** What `/graphql/<id>[/<operationName>]` says; undefined for other paths. */
export function readPath(url: string): Path | undefined {
  const match = PATH.exec(url);
  const id = match?.[1] && decode(match[1]);
  return id ? { id, operationName: match?.[2] && decode(match[2]) } : undefined;
}

/** An id that cannot be decoded is one that nobody has. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Adds what the path says to what the parameters leave open. */
export function withPath(parameters: Parameters, { id, operationName }: Path): Parameters {
  const completed = { ...parameters, operationName: parameters.operationName ?? operationName };
  return referenceOf(parameters) ? completed : { ...completed, documentId: id };
}
