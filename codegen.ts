import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents and the persisted manifest, made from src/operations/*.graphql. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/operations/*.graphql',
  silent: true,
  generates: {
    'src/operations/generated/': {
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
