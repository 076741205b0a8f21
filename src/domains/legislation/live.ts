import { parseArguments, withinDays } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { today } from '../../graph/context.ts';
import { newSinceFirstPoll, sharedPollers, streamOf } from '../../graph/live.ts';
import { type Scope, scopeKey } from './keys.ts';
import { loadChanges } from './loaders.ts';
import { changesEndpoint, type LegislationChangeShape } from './records.ts';
import { changeArguments, LegislationChangeFilter, matches } from './schema.ts';
import { LegislationChange } from './types.ts';

/** The subscription field of the legislation domain: one poller for each institution and search text. */

/** Yesterday's changes may be published late. */
const DAYS_BACK = 1;

const pollerOf = sharedPollers<Scope, readonly LegislationChangeShape[]>(
  changesEndpoint,
  scopeKey,
  async (scope, context) => {
    const end = today(context.gateway);
    const question = { ...scope, start: end - DAYS_BACK, end, types: [], topics: [] };
    const { value } = await loadChanges(question, context);
    return { value: value.records, nextAt: context.operation.freshUntil };
  },
);

builder.subscriptionField('legislationChangePublished', (t) =>
  t.field({
    type: LegislationChange,
    description: 'A change when it is published, from now on.',
    args: {
      filter: t.arg({ type: LegislationChangeFilter, description: 'By default all changes.' }),
    },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const { filter } = parseArguments(changeArguments, args);
      const wanted = filter ?? {};
      const { institution, search } = wanted;
      const isWithin = withinDays(wanted, 'filter.');
      const scope = { institution: institution ?? null, search: search ?? null };
      const unseen = newSinceFirstPoll<LegislationChangeShape>();
      return streamOf({
        context,
        poller: pollerOf(gateway, scope),
        eventsOf: (changes) =>
          unseen(changes)
            .filter((change) => matches(change, wanted))
            .filter(({ day }) => isWithin(day)),
        capacity: 1000,
      });
    },
    resolve: (change) => change,
  }),
);
