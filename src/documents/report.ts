import type { GraphQLSchema } from 'graphql';
import { loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';

/** Says, for a reader, the least and the most units that an operation can spend. */
export type PriceOf = (operation: ListedOperation) => Promise<string>;

/** What a pipeline wants to know of a manifest. */
export interface ManifestReport {
  /** One for each operation. */
  lines: string[];
  /** One line each; where there is one, the gateway would not start with these files. */
  problems: string[];
}

export async function reportManifest(
  paths: readonly string[],
  schema: GraphQLSchema,
  priceOf?: PriceOf,
): Promise<ManifestReport> {
  const { operations, problems } = await loadDocuments(paths, schema);
  const lines: string[] = [];
  for (const operation of problems.length > 0 ? [] : operations) {
    const label = operation.name ?? operation.id;
    lines.push(priceOf ? `${label}  ${await priceOf(operation)}` : label);
  }
  return { lines, problems };
}
