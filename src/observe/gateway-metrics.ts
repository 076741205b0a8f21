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
    'Monthly allowance in units; absent if none is configured.',
    (meter) => ledger.states()[meter].limit,
  );
  perMeter(
    'marketgraph_meter_remaining_units',
    'Units left of the allowance or the balance, whichever is less; absent if neither is known.',
    (meter) => ledger.allowance(meter).left,
    'min',
  );
  perMeter(
    'marketgraph_meter_forecast_units',
    'Forecast of units spent by the end of the month.',
    (meter) => governors[meter].forecast()?.monthEnd,
  );
  perMeter(
    'marketgraph_meter_exhausted_in_seconds',
    'Seconds until the allowance runs out; absent if it lasts until the end of the month.',
    (meter) => {
      const at = governors[meter].forecast()?.exhaustedAt;
      return at === null || at === undefined ? null : Math.max(0, (at - now()) / 1000);
    },
    'min',
  );
  perMeter(
    'marketgraph_meter_stretch_ratio',
    'Factor by which times to live are stretched so that the allowance lasts.',
    (meter) => governors[meter].stretch(),
  );
  single(
    'marketgraph_cache_bytes',
    'Size of cached data and whole answers, as estimated, in bytes.',
    () => store.size(),
  );
  single('marketgraph_cache_entries', 'Cached values and whole answers.', () => store.entries());
}
