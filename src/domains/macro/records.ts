import { z } from 'zod';
import type { Endpoint } from '../../upstream/endpoint.ts';
import { nodeId } from '../../graph/ids.ts';
import { optional, textOrNull } from '../../json.ts';

/** Macro series (spec sections 2.2 and 4.1, Group A). */

/** Whether a text can be sent in a URL as a code (section 4.1): one of dots alone cannot. */
export function isCode(text: string): boolean {
  return /[^.]/.test(text);
}

/** MacroSeriesItem of section 2.2. */
const macroSeries = z.object({
  code: z.string().refine(isCode, 'a code cannot consist of dots alone'),
  name: optional,
});

type MacroSeries = z.infer<typeof macroSeries>;

export type MacroSeriesShape = ReturnType<typeof seriesOf>;

/** Converts a record to the shape that the graph serves. */
export function seriesOf({ code, name }: MacroSeries) {
  return { id: nodeId('MacroSeries', code), code, name: textOrNull(name) };
}

/** GET /v1/macro/catalog: the whole catalog, or the results of a search, for one unit of macro quota. */
export const catalogEndpoint: Endpoint<MacroSeries> = {
  name: 'macro catalog',
  route: '/v1/macro/catalog',
  source: 'macro',
  group: 'A',
  meter: 'macro',
  record: z.compile(macroSeries),
  label: 'code',
  emptyOn404: true,
  // Only a search may find nothing: if a 404 counted as an empty catalog, no series could be read for hours.
  isAbout: ({ isAbsent }, { query }) => !isAbsent || query?.['q'] !== undefined,
};
