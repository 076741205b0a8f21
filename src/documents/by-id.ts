import { isHash, normalizeId, sha256 } from './ids.ts';
import type { ListedOperation } from './manifest.ts';

/**
 * Listed operations, for each client, by id as written, by normalized id and by text. The id as written is
 * looked up first.
 */
export type Index = ReadonlyMap<string, ListedOperation>;

export interface Indexed<O> {
  index: Index;
  /** Operations whose id stands for another text, too. */
  collisions: O[];
}

/** Builds the index, and finds ids that stand for two texts. */
export function indexOperations<O extends ListedOperation>(operations: readonly O[]): Indexed<O> {
  const index = new Map<string, O>();
  const collisions: O[] = [];
  const ambiguous = new Set<string>();
  for (const operation of operations) {
    const written = writtenKey(operation.id, operation.clientName);
    const normalized = normalizedKey(operation.id, operation.clientName);
    const isCollision = hasOtherText(operation, index.get(written));
    const isNormalizedCollision = hasOtherText(operation, index.get(normalized));
    // Names that differ only in case are two names; hashes that differ only in case are the same hash.
    if (isCollision || (isNormalizedCollision && isHash(normalizeId(operation.id))))
      collisions.push(operation);
    else if (isNormalizedCollision) ambiguous.add(normalized);
    index.set(written, operation);
    index.set(normalized, operation);
    index.set(textKey(operation.body, operation.clientName), operation);
  }
  for (const key of ambiguous) index.delete(key);
  return { index, collisions };
}

/** Finds the operation with an id; the client's own takes precedence over the one for everybody. */
export function findIn(
  index: Pick<Index, 'get'>,
  id: string,
  clientName: string | undefined,
): ListedOperation | undefined {
  const own = clientName === undefined ? undefined : findFor(index, id, clientName);
  return own ?? findFor(index, id, undefined);
}

/** Finds the operation with this text, if the client may use it. */
export function findTextIn(
  index: Pick<Index, 'get'>,
  text: string,
  clientName: string | undefined,
): ListedOperation | undefined {
  const own = clientName === undefined ? undefined : index.get(textKey(text, clientName));
  return own ?? index.get(textKey(text, undefined));
}

function findFor(index: Pick<Index, 'get'>, id: string, clientName: string | undefined) {
  return index.get(writtenKey(id, clientName)) ?? index.get(normalizedKey(id, clientName));
}

// The first character tells the three kinds of keys apart.
function writtenKey(id: string, clientName = ''): string {
  return `= ${clientName}\n${id}`;
}

function normalizedKey(id: string, clientName = ''): string {
  return `~ ${clientName}\n${normalizeId(id)}`;
}

function textKey(text: string, clientName = ''): string {
  return `# ${clientName}\n${sha256(text)}`;
}

function hasOtherText({ body }: ListedOperation, other: ListedOperation | undefined): boolean {
  return other !== undefined && other.body !== body;
}
