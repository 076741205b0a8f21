import { z } from 'zod';
import { fieldOf, isObject, parseEditedJson, textOrNull } from '../json.ts';

/** One operation of a manifest. */
export interface ListedOperation {
  /** As written; not always a hash. */
  id: string;
  /** The text exactly as the client would send it. */
  body: string;
  name?: string | undefined;
  /** The only client that may use it (header `apollographql-client-name`); undefined: any. */
  clientName?: string | undefined;
}

/** Why something in a manifest cannot be served. */
export interface Problem {
  /** The operation's name, id or position; undefined if the whole file is at fault. */
  operation?: string;
  reason: string;
}

/** What a manifest lists, and what in it cannot be read. */
export interface Manifest {
  operations: ListedOperation[];
  problems: Problem[];
}

const FORMAT = 'apollo-persisted-query-manifest';

/** The format of Apollo. */
const header = z.object({
  format: z.literal(FORMAT, `the format is not known (only "${FORMAT}" is)`),
  version: z.literal(1, 'the version is not known (only 1 is)'),
  operations: z.union(
    [z.array(z.unknown()), z.record(z.string(), z.unknown())],
    'operations must be an array or an object',
  ),
});

const id = z.string('has no id').min(1, 'has an empty id');
const body = z.string('has no body').min(1, 'has an empty body');
const apolloOperation = z.object({
  id,
  body,
  name: z.string('has a name that is not a string').nullish(),
  clientName: z.string('has a clientName that is not a string').nullish(),
});
/** What graphql-codegen and Relay write: for each id its text, and nothing else. */
const flatOperation = z.object({
  id,
  body: z.string('is not a string').min(1, 'has an empty body'),
});

/**
 * Reads a manifest of Apollo, graphql-codegen or Relay; its content shows which one it is
 * (docs/wire-formats.md section 1). Never throws.
 */
export function readManifest(text: string): Manifest {
  const content = parseEditedJson(text);
  if (content === undefined) return unreadable('is not JSON');
  if (Array.isArray(content)) return readEntries(flatOperation, content.map(entryOfPair));
  if (!isObject(content)) return unreadable('is not a manifest');
  if ('format' in content) return readApollo(content);
  const entries = Object.entries(content).map(([key, value]) => ({ id: key, body: value }));
  return readEntries(flatOperation, entries);
}

/** Older Relay compilers wrote pairs of id and text. */
function entryOfPair(pair: unknown): unknown {
  return Array.isArray(pair) && pair.length === 2 ? { id: pair[0], body: pair[1] } : {};
}

function readApollo(content: object): Manifest {
  const result = header.safeParse(content);
  if (!result.success) return unreadable(result.error.issues[0]?.message ?? 'is not a manifest');
  const { operations } = result.data;
  return readEntries(
    apolloOperation,
    Array.isArray(operations)
      ? operations
      : Object.entries(operations).map(([key, entry]) =>
          typeof entry === 'object' ? { ...entry, id: key } : entry,
        ),
  );
}

type Entry = z.infer<typeof apolloOperation> | z.infer<typeof flatOperation>;

function readEntries(shape: z.ZodType<Entry>, entries: readonly unknown[]): Manifest {
  const manifest: Manifest = { operations: [], problems: [] };
  for (const [position, entry] of entries.entries()) {
    const result = shape.safeParse(entry);
    if (result.success) manifest.operations.push(operationOf(result.data));
    else
      manifest.problems.push({
        operation: labelOf(entry) ?? `number ${position + 1}`,
        reason: result.error.issues[0]?.message ?? 'cannot be read',
      });
  }
  return manifest;
}

function operationOf(entry: Entry): ListedOperation {
  const { id: own, body: text, name, clientName } = { name: null, clientName: null, ...entry };
  return { id: own, body: text, name: name ?? undefined, clientName: clientName ?? undefined };
}

/** Returns the name or id of an entry that cannot be read. */
const labelOf = (entry: unknown): string | null =>
  textOrNull(fieldOf(entry, 'name')) ?? textOrNull(fieldOf(entry, 'id'));

function unreadable(reason: string): Manifest {
  return { operations: [], problems: [{ reason }] };
}
