import { checkNotPast, isPast, isWithin, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { clip } from '../../cache/segments.ts';
import { type Context, today } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { createNewRecords, firstNewDay } from '../../graph/new-records.ts';
import { streamOfNew } from '../../graph/streams.ts';
import type { Span } from '../../time.ts';
import { changesByDay } from './caches.ts';
import { isUnfiltered, type Scope, scopeKey } from './keys.ts';
import { loadChanges } from './loaders.ts';
import { changesEndpoint, type LegislationChangeShape } from './records.ts';
import { changeArguments, LegislationChangeFilter, matches } from './schema.ts';
import { LegislationChange } from './types.ts';

/** The subscription field of the legislation domain: one poller for each institution and search text. */

/**
 * How many days before today changes are found that were entered after their publication, such as those of a Friday on
 * the next Monday. No poll needs these days, but most bring them all the same (`prefetch` in caches.ts).
 */
const LATE_DAYS = 7;

/**
 * How many empty answers in a row are doubted at most. A 404 may go on for a weekend without publications: after that,
 * the next change is new.
 */
const MAX_DOUBTED = 3;

/** Whether the cached answer about any of these days is provisional. */
function isProvisional(scope: Scope, span: Span, { gateway, operation }: Context): boolean {
  const { all } = changesByDay.cache(gateway).coverageOf(scope, operation);
  return clip(all, span).some((segment) => segment.isProvisional);
}

/** Returns a function that tells whether a poll may have found nothing by mistake. */
function createDoubt(scope: Scope) {
  let emptyPolls = 0;
  return (records: readonly unknown[], span: Span, context: Context): boolean => {
    emptyPolls = records.length === 0 ? emptyPolls + 1 : 0;
    if (!isUnfiltered(scope) || emptyPolls === 0 || emptyPolls > MAX_DOUBTED) return false;
    return isProvisional(scope, span, context);
  };
}

const pollerOf = sharedPollers<Scope, readonly LegislationChangeShape[]>({
  endpoint: changesEndpoint,
  keyOf: scopeKey,
  sendsInput: ({ institution, search }) => institution !== null || search !== null,
  pollOf: (scope) => {
    const newRecords = createNewRecords<LegislationChangeShape>();
    const isInDoubt = createDoubt(scope);
    return async (context) => {
      const { gateway, operation } = context;
      const end = today(gateway);
      let nextAt = 0;
      const added = await newRecords.poll(end, async (start) => {
        const range = { ...scope, start, end, types: [], topics: [] };
        const { records } = (await loadChanges(range, context)).value;
        const isStale = operation.stale > 0;
        // The days before expire on their own, and are no reason for a poll.
        nextAt = operation.freshUntil;
        const from = Math.min(start, end - LATE_DAYS);
        const days = changesByDay.cache(gateway).read(scope, { start: from, end }, operation);
        const loaded =
          days && !isStale ? { records: days.value, isStale, from } : { records, isStale };
        const isDoubtful = isInDoubt(loaded.records, { start, end }, context);
        return { ...loaded, isDoubtful };
      });
      return { value: added, nextAt };
    };
  },
});

builder.subscriptionField('legislationChangePublished', (t) =>
  t.field({
    type: LegislationChange,
    description:
      'Each change that is published from now on, until `end` of the filter has passed. A poll costs what the query costs, at most once per time to live, for all subscribers together.',
    args: {
      filter: t.arg({ type: LegislationChangeFilter, description: 'Default: all changes.' }),
    },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const { filter } = parseArguments(changeArguments, args);
      const wanted = filter ?? {};
      const { institution, search } = wanted;
      checkNotPast(firstNewDay(today(gateway)), wanted);
      const scope = { institution: institution ?? null, search: search ?? null };
      return streamOfNew(
        { context, poller: pollerOf(gateway, scope) },
        {
          passes: (change) => matches(change, wanted) && isWithin(change.day, wanted),
          isOver: () => isPast(firstNewDay(today(gateway)), wanted),
        },
      );
    },
    resolve: (change) => change,
  }),
);
