import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { News } from '../shared/news.ts';
import type { Clock } from '../time.ts';
import { normalizeId, sha256 } from './ids.ts';
import type { KeptList } from './kept-list.ts';
import { type Manifests, openManifests } from './manifests.ts';
import { type Parameters, type Reference, referenceOf, textOf } from './parameters.ts';
import * as refusals from './refusals.ts';
import { createRegistrations, type Registrations } from './registrations.ts';
import { shareRegistrations } from './shared-registrations.ts';

/** The text of the operation that a request asks for. */
interface FoundText {
  text: string;
  /** The hash to register the text under, once it has proved valid; undefined: it is not to be registered. */
  registers?: string;
  /** For a text that was looked up: whether ids still stand for the same texts as then. */
  isCurrent?: () => boolean;
}

/** Finds the texts of operations: sent along, listed in manifests, or registered by clients. */
export interface Documents {
  /** Returns the text that a request asks for. Throws GraphQLError if there is none that may run. Changes nothing. */
  find(parameters: Parameters, from: Sender): FoundText;
  /** Stores a valid text under the hash that `find` returned; `client`: whose share of the store it uses. */
  register(hash: string, text: string, client: string): void;
  /** Size of the registered texts in bytes. */
  registeredBytes(): number;
  close(): void;
}

/** Who sends a request. */
export interface Sender {
  /** What the client calls itself: some operations are for one client only. */
  clientName: string | undefined;
  /** Whether the client may ask only for listed operations. */
  persistedOnly: boolean;
}

interface DocumentsOptions {
  config: Pick<Config, 'persistedDocuments' | 'persistedOnly' | 'persistedRetireMs'>;
  schema: GraphQLSchema;
  monotonic: Clock;
  log: Logger;
  /** What earlier processes listed. */
  kept: KeptList;
  /** How other replicas hear of what is registered here. */
  news: News | undefined;
}

/** Reads the manifests and keeps watching them. Throws ConfigError for one that cannot be served. */
export async function openDocuments(options: DocumentsOptions): Promise<Documents> {
  const { config, schema, monotonic, log, kept, news } = options;
  const { persistedDocuments: paths, persistedOnly, persistedRetireMs: retireMs } = config;
  if (persistedOnly && paths.length === 0)
    log.warn('PERSISTED_ONLY: no operation is served, since PERSISTED_DOCUMENTS names no file');
  const manifests = await openManifests({ paths, schema, monotonic, log, retireMs, kept });
  const registrations = persistedOnly
    ? undefined
    : shareRegistrations(createRegistrations({ monotonic }), news);
  return {
    find(parameters, { clientName, persistedOnly: isListedOnly }) {
      const sources = { manifests, registrations: isListedOnly ? undefined : registrations };
      return findText(parameters, clientName, sources);
    },
    register: (hash, text, client) => registrations?.add(hash, text, client),
    registeredBytes: () => registrations?.size() ?? 0,
    close: manifests.close,
  };
}

interface Sources {
  manifests: Pick<Manifests, 'find' | 'findText' | 'versionCheck'>;
  /** Undefined: only listed texts are served. */
  registrations: Pick<Registrations, 'get'> | undefined;
}

function findText(
  parameters: Parameters,
  clientName: string | undefined,
  sources: Sources,
): FoundText {
  const reference = referenceOf(parameters);
  if (reference instanceof GraphQLError) throw reference;
  const text = textOf(parameters);
  if (reference && text === undefined) return findById(reference, clientName, sources);
  if (!sources.registrations && !reference) return findListed(text, clientName, sources);
  if (text === undefined) throw refusals.badRequest('Must provide query string.');
  if (!reference) return { text };
  const hash = hashToRegister(reference, text, sources);
  return sources.manifests.find(hash, clientName) ? { text } : { text, registers: hash };
}

/** Some clients always send texts (Apollo's GraphQLWsLink): a listed text is as good as its id. */
function findListed(
  text: string | undefined,
  clientName: string | undefined,
  { manifests }: Sources,
): FoundText {
  if (text === undefined || !manifests.findText(text, clientName)) throw refusals.idRequired();
  return { text, isCurrent: manifests.versionCheck() };
}

function findById(
  { id, automatic }: Reference,
  clientName: string | undefined,
  { manifests, registrations }: Sources,
): FoundText {
  const listed = manifests.find(id, clientName)?.body;
  const text = listed ?? registrations?.get(normalizeId(id));
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
  const hash = normalizeId(id);
  if (hash !== sha256(text)) throw refusals.hashMismatch();
  return hash;
}
