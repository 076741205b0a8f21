import { builder } from '../../graph/builder.ts';
import { descriptionOf, METERS } from '../../meters.ts';
import type { reportClient } from '../../usage/report.ts';

/** The types that report what a client may spend and has spent. */

export type ClientShape = ReturnType<typeof reportClient>;
type BudgetShape = ClientShape['budgets'][number];

/** Largest value of GraphQL's Int. Some balances and budgets are larger, because they are meant as unlimited. */
const MAX_INT = 2 ** 31 - 1;
export const asInt = (units: number) => Math.min(units, MAX_INT);

const MeterName = builder.enumType('MeterName', {
  description: 'One of the three metered allowances.',
  values: Object.fromEntries(
    METERS.map((meter) => [meter.toUpperCase(), { description: descriptionOf(meter) }]),
  ),
});

const BudgetWindow = builder.enumType('BudgetWindow', {
  description: "The period that a budget covers, in the upstream's time zone.",
  values: {
    DAY: { description: 'A calendar day.' },
    MONTH: { description: 'A calendar month.' },
  },
});

const ClientBudget = builder.objectRef<BudgetShape>('ClientBudget').implement({
  description: 'A part of a meter that the client may spend.',
  fields: (t) => ({
    meter: t.expose('meter', { type: MeterName, description: 'The meter that is limited.' }),
    window: t.expose('window', { type: BudgetWindow, description: 'The period that it covers.' }),
    limit: t.int({
      description: 'Units that may be spent in each window.',
      resolve: ({ limit }) => asInt(limit),
    }),
    used: t.int({
      description: 'Units spent in the current window.',
      resolve: ({ used }) => asInt(used),
    }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      description: 'When the next window begins.',
    }),
  }),
});

export const ClientUsage = builder.objectRef<ClientShape>('ClientUsage').implement({
  description: 'What a client may spend and has spent.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in CLIENTS_FILE.' }),
    budgets: t.expose('budgets', {
      type: [ClientBudget],
      description: 'Its budgets; empty if no budget limits its spending.',
    }),
  }),
});
