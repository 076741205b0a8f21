import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { openClients } from './clients/clients.ts';
import { createAuthenticator, type Authenticator } from './clients/authenticator.ts';
import type { Config } from './config.ts';
import { type Documents, openDocuments } from './documents/documents.ts';
import { keptListIn } from './documents/kept-list.ts';
import type { News } from './shared/news.ts';
import type { Revocations } from './shared/revocations.ts';
import type { Shared } from './shared/shared.ts';
import type { Clock } from './time.ts';

/** What the gateway reads from files besides the configuration, and watches while it runs. */
export interface Listed {
  /** Operations that clients may ask for by id. */
  documents: Documents;
  /** Lets clients in; undefined: everybody is served. */
  authenticator: Authenticator | undefined;
  close(): void;
}

interface ListedDependencies {
  schema: GraphQLSchema;
  /** Wall time. */
  now: Clock;
  monotonic: Clock;
  log: Logger;
  shared: Shared | undefined;
  news: News | undefined;
  revocations: Revocations | undefined;
  /** Other processes that serve the same port. */
  siblings: News | undefined;
}

/** Opens and watches the files that the configuration names. Rejects with ConfigError if one of them cannot be used. */
export async function openListed(
  config: Config,
  dependencies: ListedDependencies,
): Promise<Listed> {
  const { schema, now, monotonic, log, shared, news, revocations, siblings } = dependencies;
  const kept = keptListIn(config.persistedDocuments, shared, now);
  const documents = await openDocuments({ config, schema, monotonic, log, kept, news });
  const { clientsFile: path } = config;
  if (path === undefined) return { documents, authenticator: undefined, close: documents.close };
  try {
    const clients = await openClients({ path, log, revocations });
    const close = () => {
      documents.close();
      clients.close();
    };
    return { documents, authenticator: createAuthenticator(clients, monotonic, siblings), close };
  } catch (error) {
    documents.close();
    throw error;
  }
}
