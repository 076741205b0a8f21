import { builder } from '../../graph/builder.ts';
import type { Gateway } from '../../graph/context.ts';
import type { Forecast } from '../../spending/forecast.ts';
import { descriptionOf, type Meter as MeterName, perMeter } from '../../meters.ts';
import type { MeterState } from '../../usage/units.ts';
import { noteFreshUntil } from '../../usage/operation.ts';
import { reportClient } from '../../usage/report.ts';
import { asInt, type ClientShape, ClientUsage } from './client.ts';
import { loadHealth, type UpstreamHealthShape } from './health.ts';

/** The query fields about units spent and about the upstream's health (spec sections 2.3 and 8). */

interface MeterShape extends MeterState {
  background: number;
  forecast: Forecast | null;
}

const MeterForecast = builder.objectRef<Forecast>('MeterForecast').implement({
  description: 'Where the spending of a meter is heading.',
  fields: (t) => ({
    monthEnd: t.int({
      description:
        "Units that will have been spent by the month's end if times to live stay stretched as they are now.",
      resolve: ({ monthEnd }) => asInt(Math.round(monthEnd)),
    }),
    exhaustedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: "When the allowance runs out, if before the month's end; null if it lasts.",
      resolve: ({ exhaustedAt }) =>
        exhaustedAt === null ? null : new Date(exhaustedAt).toISOString(),
    }),
    stretch: t.exposeFloat('stretch', {
      description:
        'Factor by which times to live are currently extended so that the allowance lasts; 1 if there is no need.',
    }),
  }),
});

const Meter = builder.objectRef<MeterShape>('Meter').implement({
  description: 'One of the three metered allowances: the FX quota, the macro quota, the credits.',
  fields: (t) => ({
    usedThisMonth: t.exposeInt('usedThisMonth', {
      description: 'Units spent in this calendar month by all gateways that share the account.',
    }),
    background: t.exposeInt('background', {
      description:
        'Units spent by live updates since this gateway, or this worker of several, started; all other units belong to an operation.',
    }),
    limit: t.exposeInt('limit', {
      nullable: true,
      description: 'The monthly allowance; null if none is configured.',
    }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description:
        'Units left: as the upstream last stated, otherwise what the limit leaves, otherwise null.',
    }),
    forecast: t.expose('forecast', {
      type: MeterForecast,
      nullable: true,
      description: 'Where spending is heading; null before anything is known.',
    }),
  }),
});

type UsageShape = Record<MeterName, MeterShape> & { client: ClientShape | null };

const Usage = builder.objectRef<UsageShape>('Usage').implement({
  description: 'The three meters as they stand now. Asking costs nothing.',
  fields: (t) => ({
    ...perMeter((meter) =>
      t.field({
        type: Meter,
        description: descriptionOf(meter),
        resolve: (usage) => usage[meter],
      }),
    ),
    client: t.expose('client', {
      type: ClientUsage,
      nullable: true,
      description: 'The client that asks; null if no clients are configured.',
    }),
  }),
});

/** Returns the state of each meter, in numbers that fit into Int. */
function metersOf({ ledger, background, governors }: Gateway): Record<MeterName, MeterShape> {
  const states = ledger.states();
  return perMeter((meter) => {
    const { usedThisMonth, limit, remaining } = states[meter];
    return {
      usedThisMonth: asInt(usedThisMonth),
      background: asInt(background[meter]),
      limit: limit === null ? null : asInt(limit),
      remaining: remaining === null ? null : asInt(remaining),
      forecast: governors[meter].forecast(),
    };
  });
}

const UpstreamHealth = builder.objectRef<UpstreamHealthShape>('UpstreamHealth').implement({
  description: "The upstream's health check (Group A, no key, no quota).",
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether the upstream answers and says it is well.' }),
    status: t.exposeString('status', {
      nullable: true,
      description: "The status in the upstream's own words.",
    }),
    db: t.exposeBoolean('db', { nullable: true, description: 'Status of its database.' }),
    cache: t.exposeBoolean('cache', { nullable: true, description: 'Status of its cache.' }),
    time: t.expose('time', { type: 'DateTime', nullable: true, description: 'Time of the check.' }),
  }),
});

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    description:
      'What has been spent this month, and what is left. Other fields of the same operation may spend more: `extensions.usage` has the state at its end.',
    resolve(_root, _args, { gateway, operation }) {
      noteFreshUntil(operation, -Infinity);
      const { payer } = operation.spender;
      const client = payer ? reportClient(gateway.ledger, payer) : null;
      return { ...metersOf(gateway), client };
    },
  }),
  health: t.field({
    type: UpstreamHealth,
    nullable: true,
    description: "Group A's health check. Costs nothing.",
    resolve: (_root, _args, context) => loadHealth(context),
  }),
}));
