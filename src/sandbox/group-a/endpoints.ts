import type { Endpoint } from '../endpoint.ts';
import { formatInstant } from '../time.ts';
import { fxHistory, fxRates } from './fx.ts';
import { createObservations, macroCatalog, macroSeries } from './macro.ts';
import type { Rates } from './rates.ts';

/** Section 4.1 as a table. */
export function endpointsA(seed: number, rates: Rates): Endpoint[] {
  const observe = createObservations(seed, rates);
  return [
    {
      path: '/health',
      meter: null,
      open: true,
      answer: ({ at }) => ({ status: 'ok', db: true, cache: true, time: formatInstant(at) }),
    },
    { path: '/v1/fx/rates', meter: 'fx', answer: (ask) => fxRates(rates, ask) },
    { path: '/v1/fx/rates/{pair}/history', meter: 'fx', answer: (ask) => fxHistory(rates, ask) },
    { path: '/v1/macro/catalog', meter: 'macro', answer: macroCatalog },
    { path: '/v1/macro/series/{code}', meter: 'macro', answer: (ask) => macroSeries(observe, ask) },
  ];
}
