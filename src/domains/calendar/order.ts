import { builder } from '../../graph/builder.ts';
import { type Keys, orderInput } from '../../graph/order.ts';
import type { CalendarEventShape } from './records.ts';

/** What events can be ordered by. Ties, and events without the value, stay in the list's own order. */

export const ORDER_FIELDS = ['DATETIME', 'IMPORTANCE', 'SURPRISE'] as const;

type Field = (typeof ORDER_FIELDS)[number];

const LEVELS = { LOW: 1, MEDIUM: 2, HIGH: 3 } as const;

export const ORDER_KEYS: Keys<CalendarEventShape, Field> = {
  DATETIME: ({ releasesAt }) => releasesAt,
  IMPORTANCE: ({ importance }) => importance && LEVELS[importance],
  SURPRISE: ({ surprise }) => surprise,
};

const CalendarEventOrderField = builder.enumType('CalendarEventOrderField', {
  description: 'What events can be ordered by; those without the value come last.',
  values: {
    DATETIME: { description: 'Release time.' },
    IMPORTANCE: { description: 'Expected market impact: LOW, MEDIUM, HIGH.' },
    SURPRISE: { description: 'actual minus forecast, in the unit of each event.' },
  } satisfies Record<Field, object>,
});

export const CalendarEventOrder = orderInput('CalendarEventOrder', CalendarEventOrderField, {
  description: 'Ties, and all lists without an order, are as the upstream gives them.',
  direction: 'ASC',
});
