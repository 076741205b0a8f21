import type { GraphQLObjectType } from 'graphql';
import type { SelectedField } from '../../documents/selections.ts';
import { flat } from '../../json.ts';

/** Keeps the JSON text of records for as long as the records themselves. */

/** The longest sum of prefixes that is memoised; all fields of the largest record have less. */
const MAX_PREFIXES = 400;

/**
 * Only the text of records, the objects with an id, is memoised: they never change and stay in the
 * cache. So that a text does not outgrow its record, each field may be selected once (aliases could
 * repeat it without end), with nothing below it.
 */
export function isMemoisable(
  type: GraphQLObjectType,
  fields: readonly SelectedField[],
  properties: readonly { prefix: string }[],
): boolean {
  const isRecord = type.getInterfaces().some(({ name }) => name === 'Node');
  const isFlat = fields.every(({ nodes: [{ selectionSet }] }) => !selectionSet);
  const names = new Set(fields.map(({ nodes: [{ name }] }) => name.value));
  const prefixes = properties.reduce((sum, { prefix }) => sum + prefix.length, 0);
  return isRecord && isFlat && names.size === fields.length && prefixes <= MAX_PREFIXES;
}

/** The text of a record, by the serialiser that made it, and the one made before. */
interface Memo {
  by: (record: object) => string;
  text: string;
  before: Omit<Memo, 'before'> | undefined;
}

const memos = new WeakMap<object, Memo>();

/** Keeps the last two texts of a record as long as the record: the cache counts them in its size. */
export function memoised(serialise: (record: object) => string): (record: object) => string {
  return (record) => {
    const memo = memos.get(record);
    if (memo?.by === serialise) return memo.text;
    if (memo?.before?.by === serialise) return memo.before.text;
    const text = flat(serialise(record));
    const before = memo && { by: memo.by, text: memo.text };
    memos.set(record, { by: serialise, text, before });
    return text;
  };
}

/** Shorter lists are written as fast as they are found. */
const MIN_ITEMS = 10;

/** The last text of each list, by who wrote it: no more than one, since a list is asked for in many forms. */
const listTexts = new WeakMap<readonly unknown[], { by: object; text: string }>();

/** Keeps the text of a list of which the items' texts are constant as long as the list. */
export function createListTexts(isConstant: boolean) {
  const by = {};
  return {
    of(list: readonly unknown[]): string | undefined {
      const last = list.length < MIN_ITEMS ? undefined : listTexts.get(list);
      return last?.by === by ? last.text : undefined;
    },
    keep(list: readonly unknown[], text: string): string {
      if (isConstant && list.length >= MIN_ITEMS) listTexts.set(list, { by, text: flat(text) });
      return text;
    },
  };
}
