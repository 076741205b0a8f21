import { defineOrder } from '../../graph/order.ts';
import type { CalendarEventShape } from './records.ts';

const LEVELS = { LOW: 1, MEDIUM: 2, HIGH: 3 } as const;

/** What events can be ordered by. Ties, and events without the value, stay in the list's own order. */
export const eventOrder = defineOrder<CalendarEventShape>('CalendarEvent', {
  description: 'What events can be ordered by; those without the value come last.',
  ties: 'Ties, and all lists without an order, are as the upstream gives them.',
  direction: 'ASC',
  fields: {
    DATETIME: { description: 'Release time.', keyOf: ({ releasesAt }) => releasesAt },
    IMPORTANCE: {
      description: 'Expected market impact: LOW, MEDIUM, HIGH.',
      keyOf: ({ importance }) => importance && LEVELS[importance],
    },
    SURPRISE: {
      description: 'actual minus forecast, in the unit of each event.',
      keyOf: ({ surprise }) => surprise,
    },
  },
});
