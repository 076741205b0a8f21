import { defineOrder } from '../../graph/order.ts';
import type { CalendarEventShape } from './records.ts';

const LEVELS = { LOW: 1, MEDIUM: 2, HIGH: 3 } as const;

/** What events can be ordered by. Ties, and events without the value, stay in the list's own order. */
export const eventOrder = defineOrder<CalendarEventShape>('CalendarEvent', {
  description: 'Fields that events can be ordered by; events without a value come last.',
  ties: "Ties, and lists without an order, stay in the upstream's order.",
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
