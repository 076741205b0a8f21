import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { errorsIn } from './limits.ts';
import { parseDocument } from './parse.ts';
import { coded } from './refusals.ts';

/** A text that has been parsed, and checked against the schema and the limits on size. */
export interface CheckedDocument {
  document?: DocumentNode;
  /** Why it cannot run; empty where it can. */
  errors: readonly GraphQLError[];
}

/** Parses and checks a text; the same text is checked once, as long as it is remembered. */
export type CheckDocument = (text: string) => CheckedDocument;

const MIB = 1024 * 1024;
/** What a parsed document weighs in memory, by the characters of its text, as measured. */
const BYTES_PER_CHARACTER = 80;
/** An error holds the text and little else. */
const BYTES_PER_ERROR = 1024;

/** Remembered texts are bounded in bytes, not in number: anybody may send long ones. */
export function createCheckDocument(schema: GraphQLSchema): CheckDocument {
  const checked = new LRUCache<string, CheckedDocument>({
    maxSize: 64 * MIB,
    sizeCalculation: ({ document, errors }, text) =>
      1 + text.length * (document ? BYTES_PER_CHARACTER : 4) + errors.length * BYTES_PER_ERROR,
  });
  return (text) => {
    const known = checked.get(text);
    if (known) return known;
    const result = checkDocument(schema, text);
    checked.set(text, result);
    return result;
  };
}

/** The same without remembering anything. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  try {
    const document = parseDocument(text);
    const errors = errorsIn(schema, document);
    return { document, errors: errors.map((error) => coded('GRAPHQL_VALIDATION_FAILED', error)) };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { errors: [coded('GRAPHQL_PARSE_FAILED', error)] };
  }
}
