import type { Resources } from '../../graph/resources.ts';
import { setCharactersLeft, setCharactersLeftInPieces } from '../../graph/answer-bytes.ts';
import { flat } from '../../json.ts';
import { createListTexts } from './memo.ts';

/**
 * Turns a resolved value into the JSON text that graphql-js would put into the response. Throws if
 * the value is not what its type promises, or still a promise: then graphql-js has to run the query.
 * Books the text of lists, and may throw TakesLonger or IsOver (graph/answer-bytes.ts).
 */
export interface Serialize {
  (value: unknown, resources: Resources): string;
  /** The same in pieces; undefined if neither lists nor fields with arguments are below. */
  inPieces?: ((value: unknown, resources: Resources) => Generator<void, string>) | undefined;
  /** Whether the text of a value is always the same. */
  isConstant?: boolean | undefined;
}

/** Writes a value in pieces, if its serializer can. */
export function* writeInPieces(
  serialize: Serialize,
  value: unknown,
  resources: Resources,
): Generator<void, string> {
  return serialize.inPieces
    ? yield* serialize.inPieces(value, resources)
    : serialize(value, resources);
}

const NULL = 'null';

/** Returns a serializer that also accepts null and undefined; undefined without one to extend. */
export function nullable(serialize: Serialize | undefined): Serialize | undefined {
  if (!serialize) return undefined;
  const { inPieces: pieces, isConstant } = serialize;
  const all = (value: unknown, resources: Resources) =>
    isNull(value) ? NULL : serialize(value, resources);
  const inPieces = function* (value: unknown, resources: Resources) {
    return isNull(value) ? NULL : yield* pieces!(value, resources);
  };
  return Object.assign(all, { isConstant, inPieces: pieces && inPieces });
}

function isNull(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (value instanceof Promise || value instanceof Error) throw new TypeError('no value yet');
  return false;
}

/** Returns a serializer that throws for null; undefined without one to extend. */
export function nonNull(serialize: Serialize | undefined): Serialize | undefined {
  if (!serialize) return undefined;
  const { inPieces: pieces, isConstant } = serialize;
  const all = (value: unknown, resources: Resources) => present(serialize(value, resources));
  const inPieces = function* (value: unknown, resources: Resources) {
    return present(yield* pieces!(value, resources));
  };
  return Object.assign(all, { isConstant, inPieces: pieces && inPieces });
}

function present(text: string): string {
  if (text === NULL) throw new TypeError('null for a non-null type');
  return text;
}

/** Returns a serializer for lists of what `serialize` writes; undefined without it. */
export function listSerializer(serialize: Serialize | undefined): Serialize | undefined {
  if (!serialize) return undefined;
  const texts = createListTexts(serialize.isConstant ?? false);
  const all = (value: unknown, resources: Resources) => {
    const items = listOf(value);
    const known = texts.of(items);
    if (known !== undefined) {
      setCharactersLeft(resources, resources.characters - known.length + 1);
      return known;
    }
    const list = listText();
    for (const item of items) {
      const before = resources.characters;
      const written = serialize(item, resources);
      setCharactersLeft(resources, before - written.length - 1);
      list.add(written);
    }
    return texts.keep(items, list.text());
  };
  const inPieces = function* (value: unknown, resources: Resources) {
    const list = listText();
    for (const item of listOf(value)) {
      const before = resources.characters;
      const written = serialize.inPieces
        ? yield* serialize.inPieces(item, resources)
        : serialize(item, resources);
      setCharactersLeftInPieces(resources, before - written.length - 1);
      if (list.add(written)) yield;
    }
    return list.text();
  };
  return Object.assign(all, { inPieces });
}

const CHUNK_LENGTH = 4096;

/** Assembles the text of a list in chunks; once a chunk is complete, its pieces are not kept. */
function listText() {
  let [text, chunk, separator] = ['', '', ''];
  return {
    /** Adds an item's text. Returns whether it completes a chunk. */
    add(item: string): boolean {
      chunk += separator + item;
      separator = ',';
      if (chunk.length < CHUNK_LENGTH) return false;
      text += flat(chunk);
      chunk = '';
      return true;
    },
    text: () => `[${text}${chunk}]`,
  };
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError('not a list');
}
