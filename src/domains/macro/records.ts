import { z } from 'zod';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { nodeId } from '../../graph/node.ts';

/** Macro series (spec sections 2.2 and 4.1, Group A). */

/** MacroSeriesItem of section 2.2. */
const macroSeries = z
  .object({ code: z.string().min(1), name: z.string().nullish() })
  .transform(({ code, name }) => ({ id: nodeId('MacroSeries', code), code, name: name ?? null }));

export type MacroSeriesShape = z.infer<typeof macroSeries>;

/** A series of which only what fails anyway was selected. */
export function unaskedSeries(code: string): MacroSeriesShape {
  return macroSeries.parse({ code });
}

/** GET /v1/macro/catalog: the whole catalog, or what a search finds, for one unit of macro quota. */
export const catalogEndpoint: Endpoint<MacroSeriesShape> = {
  name: 'macro catalog',
  source: 'macro',
  group: 'A',
  meter: 'macro',
  record: z.compile(macroSeries),
  label: 'code',
  emptyOn404: true,
};
