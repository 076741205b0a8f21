import { z } from 'zod';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { difference, mean } from '../../graph/decimals.ts';
import { nodeId } from '../../graph/ids.ts';

/** FX reference rates (spec sections 2.2 and 4.1, Group A). */

/** FxRate of section 2.2. */
const fxRate = z.object({
  pair: z.string().regex(/^[a-z]{6}$/i, 'not a currency pair'),
  buying: z.number(),
  selling: z.number(),
});

type FxRate = z.infer<typeof fxRate>;

export type FxRateShape = ReturnType<typeof rateOf>;

/** Converts a record to the shape that the graph serves, with the values computed from it. */
export function rateOf({ pair, buying, selling }: FxRate) {
  const name = pair.toUpperCase();
  return {
    id: nodeId('FxRate', name),
    pair: name,
    base: name.slice(0, 3),
    quote: name.slice(3),
    buying,
    selling,
    mid: mean(buying, selling),
    spread: difference(buying, selling),
  };
}

/** GET /v1/fx/rates: all rates at once, for one unit of FX quota. */
export const ratesEndpoint: Endpoint<FxRate> = {
  name: 'fx rates',
  route: '/v1/fx/rates',
  source: 'fx',
  group: 'A',
  meter: 'fx',
  record: z.compile(fxRate),
  label: 'pair',
  emptyOn404: false,
};
