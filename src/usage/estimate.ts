import { GraphQLError } from 'graphql';
import { METERS, type Meter, type Operation } from './operation.ts';

/**
 * What a dry run finds out. It runs an operation on what is fresh now and counts the requests that
 * would go out instead of sending them.
 */
export interface Estimate {
  /** Requests that will be sent. */
  readonly planned: Record<Meter, number>;
  /** Requests that depend on the answer to a planned one, by their kind. */
  readonly possible: Map<string, FollowUps>;
  /** Meters whose requests depend on the length of a list that is not here. */
  readonly open: Set<Meter>;
}

interface FollowUps {
  readonly meter: Meter;
  /** What would be asked for; up to `together` of it share a request. */
  readonly wants: Set<string>;
  readonly together: number;
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

/** For a dry run: what may have to be asked for once a planned request is answered. */
export function foresee(
  { estimate }: Operation,
  kind: string,
  want: string,
  { meter, together = 1 }: { meter: Meter; together?: number },
): void {
  if (!estimate) return;
  const known = estimate.possible.get(kind) ?? { meter, wants: new Set(), together };
  known.wants.add(want);
  estimate.possible.set(kind, known);
}

/** The cap on requests, and what is left of a meter, bound what cannot be known. */
export function priceOf(
  estimate: Estimate,
  maxRequests: number,
  left: (meter: Meter) => number,
): Price {
  const { planned, possible, open } = estimate;
  const room = Math.max(0, maxRequests - plannedRequests(estimate));
  const most = { ...planned };
  for (const meter of METERS) {
    const extra = [...possible.values()]
      .filter((followUps) => followUps.meter === meter)
      .reduce((sum, { wants, together }) => sum + Math.ceil(wants.size / together), 0);
    const affordable = Math.max(0, left(meter) - planned[meter]);
    most[meter] += Math.min(room, affordable, open.has(meter) ? Infinity : extra);
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
