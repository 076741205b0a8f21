import { hash } from 'node:crypto';
import { InMemoryCache } from '@apollo/client/cache';
import type { CodegenConfig } from '@graphql-codegen/cli';
import type { preset } from '@graphql-codegen/client-preset';
import { type DocumentNode, Kind, print } from 'graphql';

/**
 * `npm run generate` makes typed documents, and manifests of persisted operations, from src/operations/*.graphql: in
 * the formats of graphql-codegen, Apollo and Relay. Examples, tests and clients use them.
 */

const FOLDER = 'src/operations/generated';

/** Returns a preset that writes one JSON file: the result of `list` for all operations, in order of their files. */
function jsonFilePreset(list: (documents: readonly DocumentNode[]) => unknown): typeof preset {
  return {
    buildGeneratesSection(options) {
      const documents = options.documents
        .toSorted((a, b) => ((a.location ?? '') < (b.location ?? '') ? -1 : 1))
        .flatMap(({ document }) => document ?? []);
      const plugin = () => JSON.stringify(list(documents), null, 2);
      const filename = options.baseOutputDir;
      return [{ ...options, filename, plugins: [{ list: {} }], pluginMap: { list: { plugin } } }];
    },
  };
}

/** Apollo's manifest: the texts as Apollo's clients send them, with `__typename` in every selection. */
function apolloManifest(documents: readonly DocumentNode[]) {
  const cache = new InMemoryCache();
  const operations = documents.map((document) => {
    const sent = cache.transformDocument(document);
    const body = print({ ...sent, definitions: sent.definitions.toSorted(byName) });
    return { id: hash('sha256', body), ...nameOf(document), body };
  });
  return { format: 'apollo-persisted-query-manifest', version: 1, operations };
}

function nameOf({ definitions }: DocumentNode) {
  for (const definition of definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION)
      return { name: definition.name?.value, type: definition.operation };
  throw new Error('A file in src/operations contains no operation.');
}

type Definition = DocumentNode['definitions'][number];

function byName(a: Definition, b: Definition): number {
  const name = (one: Definition) => ('name' in one && one.name?.value) || '';
  return name(a) < name(b) ? -1 : 1;
}

/** The Relay compiler's manifest: the texts by their MD5 hash, sorted. */
function relayMap(documents: readonly DocumentNode[]) {
  const pairs = documents.map(print).map((text) => [hash('md5', text), text] as const);
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/operations/*.graphql',
  silent: true,
  generates: {
    [`${FOLDER}/apollo-manifest.json`]: { preset: jsonFilePreset(apolloManifest) },
    [`${FOLDER}/relay-documents.json`]: { preset: jsonFilePreset(relayMap) },
    [`${FOLDER}/`]: {
      preset: 'client',
      // The documents are whole operations: there are no components with fragments of their own.
      presetConfig: { fragmentMasking: false, persistedDocuments: true },
      config: {
        documentMode: 'string',
        importExtension: '.ts',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          Date: 'string',
          DateTime: 'string',
          CurrencyPair: 'string',
          CurrencyCode: 'string',
          CountryCode: 'string',
        },
      },
    },
  },
};

export default config;
