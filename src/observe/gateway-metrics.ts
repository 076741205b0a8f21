import type { Registry } from 'prom-client';
import type { Gateway } from '../graph/context.ts';
import { METERS } from '../meters.ts';
import { createGauges } from './gauges.ts';

/** Registers gauges for the state of the account and the cache at the time of reading. */
export function describeGateway(registry: Registry, gateway: Gateway): void {
  const { ledger, governors, store, now } = gateway;
  const { per, single } = createGauges(registry);
  const perMeter = per('meter', METERS);

  perMeter(
    'marketgraph_meter_used_units',
    'Units that all replicas have spent this month.',
    (meter) => ledger.states()[meter].usedThisMonth,
  );
  perMeter(
    'marketgraph_meter_limit_units',
    'The monthly allowance, where it is configured.',
    (meter) => ledger.states()[meter].limit,
  );
  perMeter(
    'marketgraph_meter_remaining_units',
    'What can still be spent of the allowance or the balance, whichever is less, where one is known.',
    (meter) => ledger.allowance(meter).left,
    'min',
  );
  perMeter(
    'marketgraph_meter_forecast_units',
    "Units that will have been spent by the month's end, as things go.",
    (meter) => governors[meter].forecast()?.monthEnd,
  );
  perMeter(
    'marketgraph_meter_exhausted_in_seconds',
    "Seconds until the allowance runs out; absent where it lasts until the month's end.",
    (meter) => {
      const at = governors[meter].forecast()?.exhaustedAt;
      return at === null || at === undefined ? null : Math.max(0, (at - now()) / 1000);
    },
    'min',
  );
  perMeter(
    'marketgraph_meter_stretch_ratio',
    'By which factor times to live are stretched so that the allowance lasts.',
    (meter) => governors[meter].stretch(),
  );
  single('marketgraph_cache_bytes', 'Cached data and whole answers, as they are counted.', () =>
    store.size(),
  );
  single('marketgraph_cache_entries', 'Cached values and whole answers.', () => store.entries());
}
