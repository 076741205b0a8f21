import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Clock } from '../time.ts';
import { normaliseId, sha256 } from './ids.ts';
import { type Manifests, openManifests } from './manifests.ts';
import { type Parameters, type Reference, referenceOf, textOf } from './parameters.ts';
import * as refusals from './refusals.ts';
import { createRegistrations, type Registrations } from './registrations.ts';

/** The text that a request means. */
interface FoundText {
  text: string;
  /** The hash that its client wants to register the text under, once it has proved valid. */
  registers?: string;
  /** Of a text that was found by its id: whether the id still stands for it. */
  isCurrent?: () => boolean;
}

/** Finds the texts of operations: sent along, listed in manifests, or registered by clients. */
export interface Documents {
  /** Throws GraphQLError where a request names no text that may run. Changes nothing. */
  find(parameters: Parameters, clientName?: string): FoundText;
  /** Keeps a valid text under the hash that `find` gave; `client`: whose share of the store it takes. */
  register(hash: string, text: string, client: string): void;
  close(): void;
}

export interface DocumentsOptions {
  config: Pick<Config, 'persistedDocuments' | 'persistedOnly' | 'persistedRetireMs'>;
  schema: GraphQLSchema;
  now: Clock;
  log: Logger;
}

/** Throws ConfigError where a manifest does not fit the schema. */
export async function openDocuments(options: DocumentsOptions): Promise<Documents> {
  const { config, schema, now, log } = options;
  const { persistedDocuments: paths, persistedOnly, persistedRetireMs: retireMs } = config;
  if (persistedOnly && paths.length === 0)
    log.warn('PERSISTED_ONLY: no operation is served, since PERSISTED_DOCUMENTS names no file');
  const manifests = await openManifests({ paths, schema, now, log, retireMs });
  const registrations = persistedOnly ? undefined : createRegistrations({ now });
  return {
    find: (parameters, clientName) => find(parameters, clientName, { manifests, registrations }),
    register: (hash, text, client) => registrations?.add(hash, text, client),
    close: manifests.close,
  };
}

interface Sources {
  manifests: Pick<Manifests, 'find' | 'versionCheck'>;
  /** Undefined: only what is listed is served. */
  registrations: Pick<Registrations, 'get'> | undefined;
}

function find(parameters: Parameters, clientName: string | undefined, sources: Sources): FoundText {
  const reference = referenceOf(parameters);
  if (reference instanceof GraphQLError) throw reference;
  const text = textOf(parameters);
  if (reference && text === undefined) return findById(reference, clientName, sources);
  if (!reference && !sources.registrations) throw refusals.idRequired();
  if (text === undefined) throw refusals.badRequest('Must provide query string.');
  if (!reference) return { text };
  const hash = hashToRegister(reference, text, sources);
  return sources.manifests.find(hash, clientName) ? { text } : { text, registers: hash };
}

function findById(
  { id, automatic }: Reference,
  clientName: string | undefined,
  { manifests, registrations }: Sources,
): FoundText {
  const listed = manifests.find(id, clientName)?.body;
  const text = listed ?? registrations?.get(normaliseId(id));
  if (text !== undefined) return { text, isCurrent: manifests.versionCheck() };
  throw automatic && registrations ? refusals.queryNotFound() : refusals.notInList();
}

/** The second leg of automatic persisted queries: a text that comes with its own hash. */
function hashToRegister(
  { id, automatic }: Reference,
  text: string,
  { registrations }: Sources,
): string {
  if (!automatic) throw refusals.idAndBody();
  if (!registrations) throw refusals.queryNotSupported();
  const hash = normaliseId(id);
  if (hash !== sha256(text)) throw refusals.hashMismatch();
  return hash;
}
