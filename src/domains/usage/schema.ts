import { builder } from '../../graph/builder.ts';
import { type MeterState, meterStates } from '../../usage/ledger.ts';
import { type Meter as MeterName, noteUntil } from '../../usage/operation.ts';
import { loadHealth, type UpstreamHealthShape } from './health.ts';

/** What has been spent, and whether the upstream is well (spec sections 2.3 and 8). */

const Meter = builder.objectRef<MeterState>('Meter').implement({
  description: 'One of the three metered allowances: the FX quota, the macro quota, the credits.',
  fields: (t) => ({
    usedThisMonth: t.exposeInt('usedThisMonth', {
      description: 'Units spent by this gateway in this calendar month.',
    }),
    limit: t.exposeInt('limit', {
      nullable: true,
      description: 'The monthly allowance, where it is configured.',
    }),
    remaining: t.exposeInt('remaining', {
      nullable: true,
      description:
        'What is left: as the upstream last stated it, else limit minus usedThisMonth, else null.',
    }),
  }),
});

const Usage = builder.objectRef<Record<MeterName, MeterState>>('Usage').implement({
  description: 'The three meters as they stand now. Asking costs nothing.',
  fields: (t) => ({
    fx: t.expose('fx', { type: Meter, description: 'FX quota of Group A.' }),
    macro: t.expose('macro', { type: Meter, description: 'Macro quota of Group A.' }),
    credits: t.expose('credits', { type: Meter, description: 'Credits of Group B.' }),
  }),
});

const UpstreamHealth = builder.objectRef<UpstreamHealthShape>('UpstreamHealth').implement({
  description: "The upstream's health check (Group A, no key, no quota).",
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Whether the upstream answers and says it is well.' }),
    status: t.exposeString('status', { nullable: true, description: "The upstream's own word." }),
    db: t.exposeBoolean('db', { nullable: true, description: 'Status of its database.' }),
    cache: t.exposeBoolean('cache', { nullable: true, description: 'Status of its cache.' }),
    time: t.expose('time', { type: 'DateTime', nullable: true, description: 'Time of the check.' }),
  }),
});

builder.queryFields((t) => ({
  usage: t.field({
    type: Usage,
    description: 'What has been spent this month, and what is left.',
    resolve(_root, _args, { gateway, operation }) {
      noteUntil(operation, 0);
      return meterStates(gateway.ledger);
    },
  }),
  health: t.field({
    type: UpstreamHealth,
    nullable: true,
    description: "Group A's health check. Costs nothing.",
    resolve: (_root, _args, context) => loadHealth(context),
  }),
}));
