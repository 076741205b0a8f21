import type { EndpointRequest } from '../endpoint.ts';
import { streamOf, uniform } from '../random.ts';
import { formatInstant } from '../time.ts';

/** The JSON around the data in answers of Group A. */

/** HistoryPoint of section 2.2. */
export interface HistoryPoint {
  date: string;
  value: number;
}

const LICENSE = 'Synthetic data of the Marketgraph sandbox: made from a seed, not from any market.';

/** Present or not by URL and time: the spec makes `license` and `cached` optional, and the license may be empty. */
function optionalFields(request: EndpointRequest): { license?: string; cached?: boolean } {
  const stream = streamOf(request.at % 0x7fffffff, request.path);
  const license = uniform(stream, 0);
  const cached = uniform(stream, 1);
  return {
    ...(license < 0.8 ? { license: LICENSE } : license < 0.9 ? { license: '' } : {}),
    ...(cached < 0.7 ? { cached: cached < 0.35 } : {}),
  };
}

/** The success envelope of section 2.1, without `success`. */
export function envelope(
  source: 'fx' | 'macro',
  request: EndpointRequest,
  asOf: number,
  data: object[],
): object {
  return { source, asOf: formatInstant(asOf), ...optionalFields(request), data };
}
