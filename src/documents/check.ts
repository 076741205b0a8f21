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
  /** Why it cannot run; empty where it can. */
  errors: readonly GraphQLError[];
  /** Whether it is too large with certain variables; only of a document that can run. */
  checkSize?: CheckSize;
  /** How many fields were read to make sizes that depend on variables, which are kept; 0: no size does. */
  varying?: number;
}

/** Parses and checks a text, and remembers the result where the text is likely to come again. */
export interface CheckDocument {
  (text: string): CheckedDocument;
  /** What is remembered of a text. */
  known(text: string): CheckedDocument | undefined;
  /** Bytes of what is remembered, as they are counted. */
  size(): number;
}

const MIB = 1024 * 1024;
/** What a parsed document weighs in memory, by the characters of its text, as measured. */
const BYTES_PER_CHARACTER = 80;
/** For each field of `varying`: by fragments a short text may select many. */
const BYTES_PER_VARYING = 450;
/** An error holds the text and little else. */
const BYTES_PER_ERROR = 1024;

function bytesOf({ document, errors, varying = 0 }: CheckedDocument, text: string): number {
  const ofText = text.length * (document ? BYTES_PER_CHARACTER : 4);
  return 1 + ofText + varying * BYTES_PER_VARYING + errors.length * BYTES_PER_ERROR;
}

/**
 * Remembered texts are bounded in bytes, not in number: anybody may send long ones. A parsed document is thousands of
 * small objects, which the garbage collector looks at again and again: those that nobody sends twice must not last.
 */
export function createCheckDocument(schema: GraphQLSchema): CheckDocument {
  const admission = createCacheAdmission();
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: 64 * MIB,
    sizeCalculation: bytesOf,
  });
  /** Many texts are that of the operation before: to compare two takes less than to look one up. */
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

/** The same without remembering anything. `isOurs`: the operator has listed it, no client has written it. */
export function checkDocument(
  schema: GraphQLSchema,
  text: string,
  isOurs = false,
): CheckedDocument {
  try {
    const document = parseDocument(text, isOurs);
    const { errors, checkSize, varying } = examine(schema, document);
    const told = errors.map((error) => coded('GRAPHQL_VALIDATION_FAILED', error));
    return { document, errors: told, checkSize, varying };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { errors: [coded('GRAPHQL_PARSE_FAILED', error)] };
  }
}
