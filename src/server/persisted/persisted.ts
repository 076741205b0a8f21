import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Clock } from '../../time.ts';
import { openDocuments } from './documents.ts';
import { createRegistrations } from './registrations.ts';
import { createResolve, type Resolve } from './resolve.ts';

/** The operations that are known by an id: listed in manifests, or registered by clients. */
export interface Persisted {
  /** Finds the text that a request means, without side effects. */
  resolve: Resolve;
  /** Keeps a text that has proved valid under the hash that `resolve` gave with it. */
  register(hash: string, query: string, client: string): void;
  /** Another number whenever an id may stand for something else than before. */
  version(): number;
  close(): void;
}

export interface PersistedOptions {
  config: Pick<Config, 'persistedDocuments' | 'persistedOnly'>;
  schema: GraphQLSchema;
  now: Clock;
  log: Logger;
}

/** Throws ConfigError where a manifest does not fit the schema. */
export async function openPersisted(options: PersistedOptions): Promise<Persisted> {
  const { config, schema, now, log } = options;
  const { persistedDocuments: paths, persistedOnly } = config;
  if (persistedOnly && paths.length === 0)
    log.warn('PERSISTED_ONLY: no operation is served, since PERSISTED_DOCUMENTS names no file');
  const documents = await openDocuments({ paths, schema, now, log });
  const registrations = persistedOnly ? undefined : createRegistrations({ now });
  return {
    resolve: createResolve({ documents, registrations }),
    register: (hash, query, client) => registrations?.add(hash, query, client),
    version: documents.version,
    close: documents.close,
  };
}
