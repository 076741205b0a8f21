import { z } from 'zod';
import { currency, parseArguments } from '../graph/arguments.ts';
import { builder } from '../graph/builder.ts';
import { registerPrefetch } from '../graph/prefetch.ts';
import { whenReady } from '../maybe.ts';
import { CalendarEvent } from './calendar/types.ts';
import { foreseeHistories, loadRateList } from './fx/loaders.ts';
import { FxRate } from './fx/types.ts';

/** Fields that join two domains: domains refer to one another nowhere else. */

const ratesArguments = z.object({ quote: currency.nullish() });

// Until the events have arrived, the number of rates whose history is needed is unknown, even if the rates are cached.
// If all arguments are invalid, the rates are not needed.
registerPrefetch('CalendarEvent', 'fxRates', (context, info, selected) => {
  if (!selected.some((args) => ratesArguments.safeParse(args).success)) return undefined;
  foreseeHistories(context, info);
  return loadRateList(context, info);
});

builder.objectField(CalendarEvent, 'fxRates', (t) =>
  t.field({
    type: [FxRate],
    nullable: true,
    description: 'Current FX rates of the affected currency. They cost what `fxRates` costs.',
    args: {
      quote: t.arg({
        type: 'CurrencyCode',
        description:
          'Only pairs priced in this currency; by default all that involve the affected one.',
      }),
    },
    resolve({ currency: affected }, args, context, info) {
      const { quote } = parseArguments(ratesArguments, args);
      if (!affected) return [];
      return whenReady(loadRateList(context, info), ({ value }) =>
        value.all
          .filter((rate) => rate.base === affected || rate.quote === affected)
          .filter((rate) => !quote || rate.quote === quote),
      );
    },
  }),
);
