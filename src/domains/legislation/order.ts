import { defineOrder } from '../../graph/order.ts';
import { parseDay } from '../../time.ts';
import type { LegislationChangeShape } from './records.ts';

/** What changes can be ordered by. Ties, and changes without the date, stay in the list's own order. */
export const changeOrder = defineOrder<LegislationChangeShape>('LegislationChange', {
  description: 'Fields that changes can be ordered by; changes without the date come last.',
  ties: "Ties, and lists without an order, stay in the upstream's order.",
  direction: 'DESC',
  fields: {
    PUBLISHED_AT: { description: 'Publication date.', keyOf: ({ day }) => day },
    EFFECTIVE_DATE: {
      description: 'Date of entry into force.',
      keyOf: ({ effectiveDate }) => parseDay(effectiveDate ?? '') ?? null,
    },
  },
});
