import { z } from 'zod';
import {
  AT_MOST,
  isAmong,
  listOf,
  paging,
  parseArguments,
  phrase,
  range,
  spanOf,
} from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { connectionOf, connectionType, pageArguments } from '../../graph/connection.ts';
import { type Context, todayFor } from '../../graph/context.ts';
import { nodeId } from '../../graph/ids.ts';
import { whenReady } from '../../maybe.ts';
import { registerNode } from '../../graph/node.ts';
import { checkCursors } from '../../graph/order.ts';
import { parseDay } from '../../time.ts';
import type { Question } from './keys.ts';
import { loadChanges } from './loaders.ts';
import { changeOrder } from './order.ts';
import type {
  LegislationChangeShape,
  LegislationChangeType as ChangeType,
  LegislationType as Type,
} from './records.ts';
import { LegislationChange, LegislationChangeType, LegislationType } from './types.ts';

/** The query field of the legislation domain, its arguments, and how a change is found by its id. */

const types: z.ZodType<Type> = z.enum(['LAW', 'REGULATION', 'COMMUNIQUE', 'CIRCULAR', 'OTHER']);
const changeTypes: z.ZodType<ChangeType> = z.enum(['ADDITION', 'AMENDMENT', 'REPEAL', 'OTHER']);

const filterArguments = z.object({
  ...range,
  types: listOf(types).nullish(),
  changeTypes: listOf(changeTypes).nullish(),
  topics: listOf(phrase).nullish(),
  institution: phrase.nullish(),
  search: phrase.nullish(),
});
type Filter = z.infer<typeof filterArguments>;
export const changeArguments = z.object({ filter: filterArguments.nullish() });
const listArguments = changeArguments
  .extend({ orderBy: changeOrder.argument, ...paging('legislationChanges') })
  .superRefine(checkCursors);

const LegislationChangeConnection = connectionType(
  LegislationChange,
  'If the upstream cut its answer short, the total that it states, provided it can count by the same filter.',
);

export const LegislationChangeFilter = builder.inputType('LegislationChangeFilter', {
  description: 'All conditions must hold; an empty list is no condition.',
  fields: (t) => ({
    start: t.field({
      type: 'Date',
      description:
        'First publication date; the range includes both ends. By default the upstream decides.',
    }),
    end: t.field({
      type: 'Date',
      description:
        'Last publication date. Default, if `start` is given: today, or `start` if that is later.',
    }),
    types: t.field({
      type: [LegislationType],
      description: `Any of these kinds of instrument: ${AT_MOST}`,
    }),
    changeTypes: t.field({
      type: [LegislationChangeType],
      description: `Any of these changes: ${AT_MOST}`,
    }),
    topics: t.stringList({ description: `Records that carry any of these topic tags: ${AT_MOST}` }),
    institution: t.string({
      description: "The publishing institution's slug, sent to the upstream.",
    }),
    search: t.string({ description: 'Full-text query, sent to the upstream.' }),
  }),
});

function questionOf(filter: Filter, context: Context): Question {
  const { start, end, types: kinds, topics, institution, search } = filter;
  // A start without an end gets today as its end, however the question is answered: if the answer is cut short, the
  // upstream's total must not include changes yet to come.
  const span =
    typeof start === 'number' &&
    spanOf({ start, end }, { start, end: Math.max(start, todayFor(context)) }, 'filter.');
  return {
    ...(span || { start: null, end: end ?? null }),
    types: kinds ?? [],
    topics: topics ?? [],
    institution: institution ?? null,
    search: search ?? null,
  };
}

export function matches(change: LegislationChangeShape, filter: Filter): boolean {
  const { types: kinds, changeTypes: changes, topics } = filter;
  if (!isAmong(change.type, kinds) || !isAmong(change.changeType, changes)) return false;
  return !topics || topics.length === 0 || change.topics.some((topic) => isAmong(topic, topics));
}

builder.queryField('legislationChanges', (t) =>
  t.field({
    type: LegislationChangeConnection,
    nullable: true,
    description:
      'Changes to Turkish legislation. Ranges with a `start` and the same `institution` and `search` (or with neither) usually cost one credit together; ranges far apart may cost one more each, since a single answer would include everything in between. Without a `start`, each combination of `end`, `institution` and `search` costs one credit. `types`, `changeTypes` and `topics` cost nothing more, unless an answer is cut short or does not come in time: then the upstream is asked again for what each field wants. Ordering costs nothing: it sorts the records that the upstream has sent.',
    args: {
      filter: t.arg({ type: LegislationChangeFilter, description: 'Default: all changes.' }),
      orderBy: t.arg({
        type: changeOrder.type,
        description: "Default: the upstream's order.",
      }),
      ...pageArguments,
    },
    resolve(_root, args, context) {
      const { filter, orderBy: order, ...page } = parseArguments(listArguments, args);
      const wanted = filter ?? {};
      return whenReady(loadChanges(questionOf(wanted, context), context), (cached) => {
        const { records, total } = cached.value;
        const found = records.filter((change) => matches(change, wanted));
        const { kind, all } = changeOrder.sort('legislationChanges', found, order);
        const connection = connectionOf(kind, all, cached, page);
        // The upstream's total respects all filters except `changeTypes`, which it does not know.
        const isCounted = found.length === records.length && !wanted.changeTypes?.length;
        return { ...connection, totalCount: (isCounted ? total : null) ?? found.length };
      });
    },
  }),
);

/** The upstream has no route for a single record, so it is looked up among the records of its day. */
registerNode('LegislationChange', ([date = '', recordId, ...rest], context) => {
  const start = parseDay(date);
  if (start === undefined || !recordId || rest.length > 0) return undefined;
  const id = nodeId('LegislationChange', date, recordId);
  const question = { ...questionOf({}, context), start, end: start };
  return whenReady(
    loadChanges(question, context),
    ({ value }) => value.records.find((change) => change.id === id) ?? null,
  );
});
