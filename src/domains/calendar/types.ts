import { builder } from '../../graph/builder.ts';
import { Node } from '../../graph/node.ts';
import type { CalendarEventShape } from './records.ts';

/** The types of the calendar domain (spec section 2.6). */

export const Importance = builder.enumType('Importance', {
  description: 'Expected market impact of a release.',
  values: {
    LOW: { description: 'Hardly moves markets.' },
    MEDIUM: { description: 'May move markets.' },
    HIGH: { description: 'Usually moves markets.' },
  },
});

const Impact = builder.enumType('Impact', {
  description: 'What a released value means for the currency.',
  values: {
    POSITIVE: { description: 'Better than expected.' },
    NEGATIVE: { description: 'Worse than expected.' },
    NEUTRAL: { description: 'As expected.' },
  },
});

export const CalendarEvent = builder.objectRef<CalendarEventShape>('CalendarEvent').implement({
  interfaces: [Node],
  description: 'A scheduled release of macro data.',
  fields: (t) => ({
    recordId: t.exposeString('recordId', {
      description: "The upstream's identifier of the record.",
    }),
    datetime: t.expose('datetime', {
      type: 'DateTime',
      description: "Release time, in the calendar's zone.",
    }),
    country: t.expose('country', { type: 'CountryCode', description: 'Country of the release.' }),
    currency: t.expose('currency', {
      type: 'CurrencyCode',
      nullable: true,
      description: 'Currency affected.',
    }),
    event: t.exposeString('event', { description: 'Name of the event.' }),
    indicator: t.exposeString('indicator', { nullable: true, description: 'Indicator code.' }),
    importance: t.expose('importance', {
      type: Importance,
      nullable: true,
      description: 'Expected market impact; null if the upstream uses any other word.',
    }),
    period: t.exposeString('period', {
      nullable: true,
      description: 'Reference period of the data.',
    }),
    actual: t.exposeFloat('actual', { nullable: true, description: 'Null before the release.' }),
    forecast: t.exposeFloat('forecast', { nullable: true, description: 'Market expectation.' }),
    previous: t.exposeFloat('previous', {
      nullable: true,
      description: 'Value of the previous period.',
    }),
    unit: t.exposeString('unit', { nullable: true, description: 'Unit of the values.' }),
    surprise: t.exposeFloat('surprise', {
      nullable: true,
      description: 'actual minus forecast; null before the release.',
    }),
    impact: t.expose('impact', {
      type: Impact,
      nullable: true,
      description: 'What the released value means; null before the release.',
    }),
    released: t.exposeBoolean('released', { description: 'Whether the actual value is known.' }),
  }),
});
