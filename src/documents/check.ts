import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  type Token,
  TokenKind,
} from 'graphql';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { createCacheAdmission } from '../cache-admission.ts';
import { MAX_DEPTH } from './bounds.ts';
import { type CheckSize, examine } from './limits.ts';
import { checkMerges } from './merges.ts';
import { coded } from './refusals.ts';
import { fragmentsOf, operationsOf } from './selections.ts';

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

/** The same without remembering anything. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  try {
    const document = parseDocument(text);
    const { errors, checkSize, varying } = examine(schema, document);
    const told = errors.map((error) => coded('GRAPHQL_VALIDATION_FAILED', error));
    return { document, errors: told, checkSize, varying };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { errors: [coded('GRAPHQL_PARSE_FAILED', error)] };
  }
}

/** A document longer than this is no query that somebody wrote. */
const MAX_TOKENS = 10_000;
/** Longer names are refused: errors repeat them. */
const MAX_NAME = 256;
/** How many operations a document may have: some rules of GraphQL are checked anew for each, with all fragments. */
const MAX_OPERATIONS = 50;

/** Throws GraphQLError for what is no document, or too long or too deep for one. */
function parseDocument(text: string): DocumentNode {
  const source = new Source(text);
  const document = parse(source, { maxTokens: MAX_TOKENS, lexer: createLexer(source) });
  checkCount(document);
  checkDepth(document);
  checkMerges(document);
  return document;
}

function checkCount(document: DocumentNode): void {
  if (operationsOf(document).length > MAX_OPERATIONS)
    throw new GraphQLError(`Document has more than ${MAX_OPERATIONS} operations. Parsing aborted.`);
}

const STEPS: Partial<Record<TokenKind, number>> = {
  [TokenKind.BRACE_L]: 1,
  [TokenKind.BRACE_R]: -1,
  [TokenKind.BRACKET_L]: 1,
  [TokenKind.BRACKET_R]: -1,
  [TokenKind.PAREN_L]: 1,
  [TokenKind.PAREN_R]: -1,
};

/** Stops a parser before it has gone too deep to come back. */
function createLexer(source: Source): Lexer {
  const lexer = new Lexer(source);
  const next = lexer.advance.bind(lexer);
  let depth = 0;
  const advance = (): Token => {
    const token = next();
    if (token.kind === TokenKind.NAME && token.value.length > MAX_NAME) throw tooLong();
    depth += STEPS[token.kind] ?? 0;
    if (depth > MAX_DEPTH) throw tooDeep();
    return token;
  };
  return Object.assign(lexer, { advance });
}

/** Refuses selections that nest too deep once fragments are opened, which the lexer cannot see. */
function checkDepth(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  const depths = new Map<string, number>();

  function depthOf({ selections }: SelectionSetNode, above: number): number {
    if (above >= MAX_DEPTH) throw tooDeep();
    let deepest = 0;
    for (const selection of selections) deepest = Math.max(deepest, below(selection, above + 1));
    return deepest + 1;
  }

  function below(selection: SelectionNode, above: number): number {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value, above);
    return selection.selectionSet ? depthOf(selection.selectionSet, above) : 0;
  }

  function ofFragment(name: string, above: number): number {
    const known = depths.get(name);
    if (known !== undefined && above + known > MAX_DEPTH) throw tooDeep();
    const set = fragments.get(name)?.selectionSet;
    if (known !== undefined || !set) return known ?? 0;
    // One that leads back to itself is refused by validation.
    depths.set(name, 0);
    const depth = depthOf(set, above);
    depths.set(name, depth);
    return depth;
  }

  for (const definition of document.definitions)
    if ('selectionSet' in definition && definition.selectionSet)
      depthOf(definition.selectionSet, 0);
}

function tooLong(): GraphQLError {
  return new GraphQLError(`A name has more than ${MAX_NAME} characters. Parsing aborted.`);
}

function tooDeep(): GraphQLError {
  return new GraphQLError(`Document nests more than ${MAX_DEPTH} levels. Parsing aborted.`);
}
