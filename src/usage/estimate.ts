import { GraphQLError } from 'graphql';
import { METERS, type Meter } from './operation.ts';

/**
 * What a dry run finds out. It runs an operation on what is fresh now and counts the requests that
 * would go out instead of sending them.
 */
export interface Estimate {
  /** Requests that will be sent. */
  readonly planned: Record<Meter, number>;
  /** Requests that depend on the answer to a planned one, by what they would ask for. */
  readonly possible: Map<string, Meter>;
  /** Meters whose requests depend on the length of a list that is not here. */
  readonly open: Set<Meter>;
}

/** Units an operation spends per meter: at least, and at most. */
export interface Price {
  least: Record<Meter, number>;
  most: Record<Meter, number>;
}

export function startEstimate(): Estimate {
  return { planned: { fx: 0, macro: 0, credits: 0 }, possible: new Map(), open: new Set() };
}

export function plannedRequests({ planned }: Estimate): number {
  return METERS.reduce((sum, meter) => sum + planned[meter], 0);
}

/** The cap on requests bounds what cannot be known. */
export function priceOf(estimate: Estimate, maxRequests: number): Price {
  const { planned, possible, open } = estimate;
  const room = Math.max(0, maxRequests - plannedRequests(estimate));
  const most = { ...planned };
  for (const meter of METERS) {
    const extra = [...possible.values()].filter((other) => other === meter).length;
    most[meter] += open.has(meter) ? room : Math.min(room, extra);
  }
  return { least: { ...planned }, most };
}

const CODE = 'DRY_RUN';

/** Thrown instead of sending a request: whatever needs its answer cannot run. */
export class Planned extends GraphQLError {
  constructor() {
    super('A dry run sends nothing', { extensions: { code: CODE } });
  }
}

export function isPlanned({ extensions }: GraphQLError): boolean {
  return extensions['code'] === CODE;
}
