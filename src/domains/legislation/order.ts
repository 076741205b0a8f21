import { builder } from '../../graph/builder.ts';
import { type Keys, orderInput } from '../../graph/order.ts';
import { parseDay } from '../../time.ts';
import type { LegislationChangeShape } from './records.ts';

/** What changes can be ordered by. Ties, and changes without the date, stay in the list's own order. */

export const ORDER_FIELDS = ['PUBLISHED_AT', 'EFFECTIVE_DATE'] as const;

type Field = (typeof ORDER_FIELDS)[number];

export const ORDER_KEYS: Keys<LegislationChangeShape, Field> = {
  PUBLISHED_AT: ({ day }) => day,
  EFFECTIVE_DATE: ({ effectiveDate }) => parseDay(effectiveDate ?? '') ?? null,
};

const LegislationChangeOrderField = builder.enumType('LegislationChangeOrderField', {
  description: 'What changes can be ordered by; those without the date come last.',
  values: {
    PUBLISHED_AT: { description: 'Publication date.' },
    EFFECTIVE_DATE: { description: 'Date of entry into force.' },
  } satisfies Record<Field, object>,
});

export const LegislationChangeOrder = orderInput(
  'LegislationChangeOrder',
  LegislationChangeOrderField,
  {
    description: 'Ties, and all lists without an order, are as the upstream gives them.',
    direction: 'DESC',
  },
);
