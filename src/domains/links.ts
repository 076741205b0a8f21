import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Cached } from '../cache/cached.ts';
import { currency, parseArguments } from '../graph/arguments.ts';
import { builder } from '../graph/builder.ts';
import type { Context } from '../graph/context.ts';
import { registerPrefetch } from '../graph/links.ts';
import { foreseeUnknownCount } from '../graph/selection.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { CalendarEvent } from './calendar/types.ts';
import { loadRates, type Rates } from './fx/loaders.ts';
import { FxRate } from './fx/types.ts';

/** Fields that join two domains: the only place where one domain meets another. */

const ratesArguments = z.object({ quote: currency.nullish() });

/** Current rates. A dry run is told that the number of their histories is not known yet. */
function loadAffected(context: Context, info: GraphQLResolveInfo): Maybe<Cached<Rates>> {
  const rates = loadRates(context);
  if (rates instanceof Promise) foreseeUnknownCount('fx', context, info, 'FxRate', 'history');
  return rates;
}

registerPrefetch('CalendarEvent', 'fxRates', loadAffected);

builder.objectField(CalendarEvent, 'fxRates', (t) =>
  t.field({
    type: [FxRate],
    nullable: true,
    description: 'Current FX rates of the affected currency.',
    args: {
      quote: t.arg({
        type: 'CurrencyCode',
        description:
          'Only pairs priced in this currency; by default all that involve the affected one.',
      }),
    },
    resolve(event, args, context, info) {
      const { quote } = parseArguments(ratesArguments, args);
      const affected = event.currency?.toUpperCase();
      if (!affected) return [];
      return whenReady(loadAffected(context, info), ({ value }) =>
        value.all
          .filter((rate) => rate.base === affected || rate.quote === affected)
          .filter((rate) => !quote || rate.quote === quote),
      );
    },
  }),
);
