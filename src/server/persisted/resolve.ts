import { GraphQLError } from 'graphql';
import type { Documents } from './documents.ts';
import { normaliseId, sha256 } from './ids.ts';
import { type Parameters, type Reference, referenceOf, textOf } from './parameters.ts';
import * as refusals from './refusals.ts';
import type { Registrations } from './registrations.ts';

/** The document that a request means. */
interface Resolved {
  /** Undefined where the request has no text either. */
  query: string | undefined;
  operationName: string | undefined;
  /** The hash to keep the text under, once it has proved valid. */
  registers?: string;
}

/** Finds the text for the parameters of a request; changes nothing. */
export type Resolve = (parameters: Parameters, clientName?: string) => Resolved | GraphQLError;

interface Sources {
  documents: Pick<Documents, 'find'>;
  /** Undefined: only what is listed is served. */
  registrations: Pick<Registrations, 'get'> | undefined;
}

export function createResolve({ documents, registrations }: Sources): Resolve {
  function lookUp({ id, automatic }: Reference, clientName?: string): string | GraphQLError {
    const listed = documents.find(id, clientName)?.body;
    const query = listed ?? registrations?.get(normaliseId(id));
    if (query !== undefined) return query;
    return automatic && registrations ? refusals.queryNotFound() : refusals.notInList();
  }

  function register({ id, automatic }: Reference, query: string): string | GraphQLError {
    if (!automatic) return refusals.idAndBody();
    if (!registrations) return refusals.queryNotSupported();
    const hash = normaliseId(id);
    return hash === sha256(query) ? hash : refusals.hashMismatch();
  }

  return (parameters, clientName) => {
    const { operationName } = parameters;
    const reference = referenceOf(parameters);
    if (reference instanceof GraphQLError) return reference;
    const text = textOf(parameters);
    if (!reference) return registrations ? { query: text, operationName } : refusals.idRequired();
    if (text === undefined) {
      const query = lookUp(reference, clientName);
      return query instanceof GraphQLError ? query : { query, operationName };
    }
    const registers = register(reference, text);
    if (registers instanceof GraphQLError) return registers;
    const isListed = documents.find(registers, clientName) !== undefined;
    return { query: text, operationName, ...(!isListed && { registers }) };
  };
}
