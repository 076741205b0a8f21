import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { createCacheAdmission } from '../cache-admission.ts';
import { type CheckSize, examine } from './limits.ts';
import { parseDocument } from './parse.ts';
import { coded } from './refusals.ts';

/** A text that has been parsed, and checked against the schema and the limits on size. */
export interface CheckedDocument {
  document?: DocumentNode;
  /** Why it cannot run; empty if it can. */
  errors: readonly GraphQLError[];
  /** Checks its size with certain variables; only for a document that can run. */
  checkSize?: CheckSize;
  /** Number of fields behind the sizes that depend on variables and so are kept in memory; 0 if none does. */
  varying?: number;
}

/** Parses and checks a text, and caches the result if the text is likely to be sent again. */
export interface CheckDocument {
  (text: string): CheckedDocument;
  /** Returns the cached result for a text. */
  known(text: string): CheckedDocument | undefined;
  /** Size of the cached results in bytes, as estimated. */
  size(): number;
}

const MIB = 1024 * 1024;
/** Memory that a parsed document takes for each character of its text, as measured. */
const BYTES_PER_CHARACTER = 80;
/** Memory for each field of `varying`: with fragments a short text can select many. */
const BYTES_PER_VARYING = 450;
/** Memory for each error, which holds the text and little else. */
const BYTES_PER_ERROR = 1024;

function bytesOf({ document, errors, varying = 0 }: CheckedDocument, text: string): number {
  const textBytes = text.length * (document ? BYTES_PER_CHARACTER : 4);
  return 1 + textBytes + varying * BYTES_PER_VARYING + errors.length * BYTES_PER_ERROR;
}

/**
 * The cache is limited in bytes, not in number of texts, since anyone can send long ones. A parsed document consists of
 * thousands of small objects that the garbage collector visits again and again: texts sent only once must not stay.
 */
export function createCheckDocument(schema: GraphQLSchema): CheckDocument {
  const admission = createCacheAdmission();
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: 64 * MIB,
    sizeCalculation: bytesOf,
  });
  /** Many texts equal that of the previous operation, and comparing two texts is faster than looking one up. */
  let last: { text: string; found: CheckedDocument } | undefined;

  function known(text: string): CheckedDocument | undefined {
    if (last?.text === text) return last.found;
    const found = checked.get(text);
    last = found && { text, found };
    return found;
  }

  function check(text: string): CheckedDocument {
    const found = known(text);
    if (found) return found;
    const result = checkDocument(schema, text);
    if (admission.wants(crc32(text), bytesOf(result, text))) checked.set(text, result);
    return result;
  }

  return Object.assign(check, {
    known,
    size: () => checked.calculatedSize,
  });
}

/** Parses and checks a text without caching the result. `isListed`: the operator listed it; no client sent it. */
export function checkDocument(
  schema: GraphQLSchema,
  text: string,
  isListed = false,
): CheckedDocument {
  try {
    const document = parseDocument(text, isListed);
    const { errors, checkSize, varying } = examine(schema, document);
    const codedErrors = errors.map((error) => coded('GRAPHQL_VALIDATION_FAILED', error));
    return { document, errors: codedErrors, checkSize, varying };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { errors: [coded('GRAPHQL_PARSE_FAILED', error)] };
  }
}
