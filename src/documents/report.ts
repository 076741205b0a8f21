import type { GraphQLSchema } from 'graphql';
import { loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';

/** The least and the most units that an operation can spend, as text. */
export type DescribePrice = (operation: ListedOperation) => Promise<string>;

/** What `npm run check-manifest` prints, for builds that check manifests before they deploy. */
interface ManifestReport {
  /** One for each operation; none if there are problems. */
  lines: string[];
  /** One line each; if there is one, the gateway would not start with these files. */
  problems: string[];
}

/** Reads and checks manifests as the gateway would. */
export async function reportManifest(
  paths: readonly string[],
  schema: GraphQLSchema,
  describePrice: DescribePrice,
): Promise<ManifestReport> {
  const { operations, problems } = await loadDocuments(paths, schema);
  const lines: string[] = [];
  for (const operation of problems.length > 0 ? [] : operations) {
    const label = operation.name ?? operation.id;
    lines.push(`${label}  ${await describePrice(operation)}`);
  }
  return { lines, problems };
}
