import type { GraphQLObjectType } from 'graphql';
import type { SelectedField } from '../../documents/selections.ts';
import { flat } from '../../json.ts';

/** Keeps the JSON text of records for as long as the records themselves. */

/** Maximum characters of all prefixes of a text that is memoized; all fields of the largest record have fewer. */
const MAX_PREFIXES_LENGTH = 400;

/**
 * Whether the text of the selected objects is memoized: only that of records (objects with an id) is, since
 * they never change and stay in the cache. So that a text does not outgrow its record, each field may be selected
 * only once (aliases could repeat it endlessly), with nothing below it.
 */
export function isMemoizable(
  type: GraphQLObjectType,
  fields: readonly SelectedField[],
  properties: readonly { prefix: string }[],
): boolean {
  const isRecord = type.getInterfaces().some(({ name }) => name === 'Node');
  const isFlat = fields.every(({ nodes: [{ selectionSet }] }) => !selectionSet);
  const names = new Set(fields.map(({ nodes: [{ name }] }) => name.value));
  const prefixes = properties.reduce((sum, { prefix }) => sum + prefix.length, 0);
  return isRecord && isFlat && names.size === fields.length && prefixes <= MAX_PREFIXES_LENGTH;
}

/** The text of a record, the serializer that made it, and the text made before. */
interface Memo {
  by: (record: object) => string;
  text: string;
  before: Omit<Memo, 'before'> | undefined;
}

const memos = new WeakMap<object, Memo>();

/** Keeps the last two texts of a record for as long as the record, whose size in the cache includes them. */
export function memoized(serialize: (record: object) => string): (record: object) => string {
  return (record) => {
    const memo = memos.get(record);
    if (memo?.by === serialize) return memo.text;
    if (memo?.before?.by === serialize) return memo.before.text;
    const text = flat(serialize(record));
    const before = memo && { by: memo.by, text: memo.text };
    memos.set(record, { by: serialize, text, before });
    return text;
  };
}

/** Minimum items of a list whose text is kept: shorter lists are written as fast as they are looked up. */
const MIN_ITEMS = 10;

/** The last text of each list, and what wrote it. Only one is kept, since a list may be requested in many forms. */
const listTexts = new WeakMap<readonly unknown[], { by: object; text: string }>();

/** Keeps the text of a list for as long as the list, if the texts of its items are constant. */
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
