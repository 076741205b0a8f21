import type { Endpoint } from '../endpoint.ts';
import { formatInstant } from '../time.ts';
import { fxHistory, fxRates } from './fx.ts';
import { createObservations, macroCatalog, macroSeries } from './macro.ts';
import type { Rates } from './rates.ts';

/** The endpoints of section 4.1. */
export function endpointsA(seed: number, rates: Rates): Endpoint[] {
  const observe = createObservations(seed, rates);
  return [
    {
      path: '/health',
      meter: null,
      isPublic: true,
      answer: ({ at }) => ({ status: 'ok', db: true, cache: true, time: formatInstant(at) }),
    },
    { path: '/v1/fx/rates', meter: 'fx', answer: (request) => fxRates(rates, request) },
    {
      path: '/v1/fx/rates/{pair}/history',
      meter: 'fx',
      answer: (request) => fxHistory(rates, request),
    },
    { path: '/v1/macro/catalog', meter: 'macro', answer: macroCatalog },
    {
      path: '/v1/macro/series/{code}',
      meter: 'macro',
      answer: (request) => macroSeries(observe, request),
    },
  ];
}
