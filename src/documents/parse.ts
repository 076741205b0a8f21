import {
  type DocumentNode,
  GraphQLError,
  Kind,
  Lexer,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  Source,
  type Token,
  TokenKind,
} from 'graphql';
import { checkMerges } from './merges.ts';
import { fragmentsOf, MAX_DEPTH, operationsOf } from './selections.ts';

/** Parses texts within limits: even a short one can take long to parse or check, or nest too deep for recursion. */

/** Maximum number of tokens in a document; nobody writes longer queries. */
const MAX_TOKENS = 10_000;
/** Maximum length of a name, in characters: errors repeat names. */
const MAX_NAME_LENGTH = 256;
/**
 * Longest text, in characters and lines, whose errors state their locations: to find its location, each error reads all
 * lines before it, and there may be hundreds of errors.
 */
const MAX_LOCATED_LENGTH = 16_384;
const MAX_LOCATED_LINES = 500;
const NEW_LINE = /\r\n|[\n\r]/;
/** Maximum number of operations in a document: some rules of GraphQL are checked anew for each, with all fragments. */
const MAX_OPERATIONS = 50;

const isLong = (text: string) =>
  text.length > MAX_LOCATED_LENGTH ||
  text.split(NEW_LINE, MAX_LOCATED_LINES + 1).length > MAX_LOCATED_LINES;

/** Throws GraphQLError if a text is not a document, or is too long or too deep. `isListed`: no client wrote it. */
export function parseDocument(text: string, isListed: boolean): DocumentNode {
  const source = new Source(text);
  const noLocation = !isListed && isLong(text);
  const document = parse(source, {
    maxTokens: MAX_TOKENS,
    noLocation,
    lexer: createLexer(source),
    // graphql-js accepts `{}` by default, which no edition of the specification does.
    allowEmptySelectionSets: false,
  });
  checkCount(document);
  checkDepth(document);
  checkMerges(document);
  return document;
}

function checkCount(document: DocumentNode): void {
  if (operationsOf(document).length > MAX_OPERATIONS)
    throw new GraphQLError(`Document has more than ${MAX_OPERATIONS} operations. Parsing aborted.`);
}

const DEPTH_STEPS: Partial<Record<TokenKind, number>> = {
  [TokenKind.BRACE_L]: 1,
  [TokenKind.BRACE_R]: -1,
  [TokenKind.BRACKET_L]: 1,
  [TokenKind.BRACKET_R]: -1,
  [TokenKind.PAREN_L]: 1,
  [TokenKind.PAREN_R]: -1,
};

/** Returns a lexer that stops the parser before its recursion goes too deep. */
function createLexer(source: Source): Lexer {
  const lexer = new Lexer(source);
  const next = lexer.advance.bind(lexer);
  let depth = 0;
  const advance = (): Token => {
    const token = next();
    if (token.kind === TokenKind.NAME && token.value.length > MAX_NAME_LENGTH) throw tooLong();
    depth += DEPTH_STEPS[token.kind] ?? 0;
    if (depth > MAX_DEPTH) throw tooDeep();
    return token;
  };
  return Object.assign(lexer, { advance });
}

/** Refuses selections that nest too deep once fragments are expanded, which the lexer cannot see. */
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
    // A fragment that leads back to itself is refused by validation.
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
  return new GraphQLError(`A name has more than ${MAX_NAME_LENGTH} characters. Parsing aborted.`);
}

function tooDeep(): GraphQLError {
  return new GraphQLError(`Document nests more than ${MAX_DEPTH} levels. Parsing aborted.`);
}
