import type { ExecutionResult } from 'graphql';
import type { Resources } from '../graph/resources.ts';
import { IsOver, setCharactersLeftInPieces } from '../graph/answer-bytes.ts';
import { mustWait, turnOf } from '../graph/time-slices.ts';
import { isJsonText, isObject, jsonText } from '../json.ts';
import { type Maybe, whenReady } from '../maybe.ts';

/** Writes large results as JSON text piece by piece, so that other operations run in between. */

/**
 * The fields of a result, by response name, that are JSON text already ('json') or have such fields
 * below; all others are left out.
 */
export type JsonFields = ReadonlyMap<string, JsonFields | 'json'>;

/** Results of more values than this, or of more characters, are written in pieces, as is introspection. */
const MAX_VALUES_AT_ONCE = 5000;
const MAX_CHARACTERS_AT_ONCE = 65_536;

function isLarge(
  data: object,
  { limits, values, characters, asksAboutSchema }: Resources,
  fields?: JsonFields,
): boolean {
  if (asksAboutSchema || limits.maxValuesPerOperation - values > MAX_VALUES_AT_ONCE) return true;
  return charactersLeft(data, fields, Math.min(MAX_CHARACTERS_AT_ONCE, characters)) < 0;
}

/** Returns what is left of `left` characters after names and texts; what is JSON text already does not count. */
function charactersLeft(
  value: unknown,
  fields: JsonFields | 'json' | undefined,
  left: number,
): number {
  if (fields === 'json' || left < 0) return left;
  if (typeof value === 'string') return left - value.length;
  if (!isObject(value)) return left;
  if (Array.isArray(value))
    return value.reduce((rest: number, item) => charactersLeft(item, fields, rest), left);
  let rest = left;
  for (const [name, below] of Object.entries(value))
    rest = charactersLeft(below, fieldsAt(fields, name), rest - name.length);
  return rest;
}

/** Returns the result with its data as JSON text if they are large; otherwise as it is. */
export function inPieces(result: ExecutionResult, resources: Resources): Maybe<ExecutionResult> {
  const { data } = result;
  if (!data || isJsonText(data) || !isLarge(data, resources)) return result;
  return whenReady(textWithin(data, resources), (text) => ({ ...result, data: jsonText(text) }));
}

/** Returns the JSON text of a result's data, in which some fields are JSON text already. */
export function textWithin(data: object, resources: Resources, fields?: JsonFields): Maybe<string> {
  return isLarge(data, resources, fields)
    ? writeInTurns(piecesOf(data, fields, resources), resources)
    : textOf(data, fields);
}

function textOf(value: unknown, fields: JsonFields | 'json' | undefined): string {
  if (fields === 'json' && typeof value === 'string') return value;
  if (typeof fields !== 'object' || !isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, fields)).join(',')}]`;
  let text = '{';
  for (const [name, below] of Object.entries(value))
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${textOf(below, fields.get(name))}`;
  return `${text}}`;
}

/** After a longer text, others may run. */
const MAX_LEAF_AT_ONCE = 1024;

function* piecesOf(
  value: unknown,
  fields: JsonFields | 'json' | undefined,
  resources: Resources,
): Generator<void, string> {
  // Its characters were booked when it was written.
  if (fields === 'json' && typeof value === 'string') return value;
  if (!isObject(value)) {
    const text = booked(JSON.stringify(value), resources);
    if (text.length > MAX_LEAF_AT_ONCE) yield;
    return text;
  }
  const isList = Array.isArray(value);
  let text = '';
  for (const [name, below] of Object.entries(value)) {
    if (text !== '') text += ',';
    if (!isList) text += booked(`${JSON.stringify(name)}:`, resources);
    text += yield* piecesOf(below, isList ? fields : fieldsAt(fields, name), resources);
  }
  yield;
  return isList ? `[${text}]` : `{${text}}`;
}

function fieldsAt(fields: JsonFields | 'json' | undefined, name: string) {
  return typeof fields === 'object' ? fields.get(name) : undefined;
}

function booked(text: string, resources: Resources): string {
  setCharactersLeftInPieces(resources, resources.characters - text.length - 1);
  return text;
}

/** Runs a writer, which may stop at each `yield`, in the operation's turns. Never settles if it is over. */
export async function writeInTurns(
  writer: Generator<void, string>,
  resources: Resources,
): Promise<string> {
  try {
    for (;;) {
      const { done, value } = writer.next();
      if (done) return value;
      if (mustWait(resources)) await turnOf(resources);
    }
  } catch (error) {
    // The operation is over, and its result has been returned already (execute.ts).
    if (error instanceof IsOver) return new Promise(() => undefined);
    throw error;
  }
}
