import { Gauge, type Registry } from 'prom-client';
import { METERS } from '../meters.ts';
import type { Gateway } from '../graph/context.ts';

/** How the gateway stands when it is asked: the account, the forecast, the cache. */
export function describeGateway(registry: Registry, gateway: Gateway): void {
  const { ledger, governors, store, now } = gateway;
  const gauge = (name: string, help: string, collect: (self: Gauge<'meter'>) => void) =>
    new Gauge({
      name,
      help,
      labelNames: ['meter'] as const,
      registers: [registry],
      collect() {
        collect(this);
      },
    });
  const perMeter =
    (valueOf: (meter: (typeof METERS)[number]) => number | null | undefined) =>
    (self: Gauge<'meter'>) => {
      self.reset();
      for (const meter of METERS) {
        const value = valueOf(meter);
        if (value !== null && value !== undefined) self.set({ meter }, value);
      }
    };

  gauge(
    'marketgraph_meter_used_units',
    'Units that all replicas have spent this month.',
    perMeter((meter) => ledger.states()[meter].usedThisMonth),
  );
  gauge(
    'marketgraph_meter_limit_units',
    'The monthly allowance, where it is configured.',
    perMeter((meter) => ledger.states()[meter].limit),
  );
  gauge(
    'marketgraph_meter_remaining_units',
    'What is left of the allowance, where that is known.',
    perMeter((meter) => ledger.states()[meter].remaining),
  );
  gauge(
    'marketgraph_meter_forecast_units',
    "Units that will have been spent by the month's end, as things go.",
    perMeter((meter) => governors[meter].forecast()?.monthEnd),
  );
  gauge(
    'marketgraph_meter_exhausted_in_seconds',
    "Seconds until the allowance runs out; absent where it lasts until the month's end.",
    perMeter((meter) => {
      const at = governors[meter].forecast()?.exhaustedAt;
      return at === null || at === undefined ? null : Math.max(0, (at - now()) / 1000);
    }),
  );
  gauge(
    'marketgraph_meter_stretch_ratio',
    'By which factor times to live are stretched so that the allowance lasts.',
    perMeter((meter) => governors[meter].stretch()),
  );
  gauge('marketgraph_cache_bytes', 'Cached data and whole answers, as they are counted.', (self) =>
    self.set(store.size()),
  );
}
