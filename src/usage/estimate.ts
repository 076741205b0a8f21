import { GraphQLError } from 'graphql';
import { type Meter, perMeter, totalOf } from '../meters.ts';
import type { Ledger, Payer } from './units.ts';

/**
 * What a dry run finds out: the requests that an operation would send, given what is fresh now. A dry run executes the
 * operation and counts requests instead of sending them.
 */
export interface Estimate {
  /** Units of the requests that will be sent for certain; `requests` is their number. */
  readonly certain: Record<Meter, number>;
  requests: number;
  /** Requests that depend on the answer to one of those, by their kind. */
  readonly followUps: Map<string, FollowUps>;
  /** Meters whose requests depend on the length of a list that is not cached. */
  readonly unbounded: Set<Meter>;
  /** Why requests would be refused. A field whose data are loaded in advance may not run, and so not report it. */
  readonly refusals: GraphQLError[];
  /** Whether the requests counted here depend on an answer to come: they are follow-ups of another estimate. */
  readonly isPossible?: boolean;
}

interface FollowUps {
  readonly meter: Meter;
  readonly dataset: string;
  /** What would be asked for; up to `together` of them share a request. */
  readonly wants: Set<string>;
  readonly together: number;
}

/** Units an operation spends per meter: at least, and at most. */
export interface Price {
  least: Record<Meter, number>;
  most: Record<Meter, number>;
}

export function startEstimate(): Estimate {
  const certain = perMeter(() => 0);
  return { certain, requests: 0, followUps: new Map(), unbounded: new Set(), refusals: [] };
}

/** Returns an estimate whose requests count as follow-ups of this one. */
export const possibleIn = ({ followUps, unbounded }: Estimate): Estimate => ({
  ...startEstimate(),
  followUps,
  unbounded,
  isPossible: true,
});

/** Counts a request that a dry run would send. */
export function countRequest(
  estimate: Estimate,
  dataset: { meter: Meter; name: string },
  cost: number,
): void {
  const { certain, followUps, isPossible } = estimate;
  if (isPossible) {
    const kind = `possible ${followUps.size}`;
    return expectFollowUp({ estimate }, dataset, kind, kind);
  }
  certain[dataset.meter] += cost;
  estimate.requests += 1;
}

/** In a dry run, notes what may have to be asked for once a certain request is answered. */
export function expectFollowUp(
  { estimate }: { readonly estimate?: Estimate | undefined },
  { meter, name: dataset }: { meter: Meter; name: string },
  kind: string,
  want: string,
  together = 1,
): void {
  if (!estimate) return;
  const known = estimate.followUps.get(kind) ?? { meter, dataset, wants: new Set(), together };
  known.wants.add(want);
  estimate.followUps.set(kind, known);
}

/**
 * Returns the price of an operation. What cannot be known is bounded by what it may send and spend, and by what is left
 * of a meter.
 */
export function priceOf(
  estimate: Estimate,
  { maxRequests, maxUnits }: { maxRequests: number; maxUnits: number },
  ledger: Ledger,
  client: Payer | undefined,
): Price {
  const { certain } = estimate;
  const requests = Math.max(0, maxRequests - estimate.requests);
  const most = perMeter((meter) => {
    const units = Math.min(
      maxUnits - totalOf(certain),
      ledger.leftOnceCharged(meter, client) - certain[meter],
    );
    const groups = followUpsOf(estimate, meter, ledger);
    return certain[meter] + maxSpend(groups, requests, Math.max(0, units));
  });
  return { least: { ...certain }, most };
}

/** Requests that cost the same. */
interface RequestGroup {
  count: number;
  cost: number;
}

/** Returns the follow-up requests of a meter. Entries of a list of unknown length are taken to cost a unit each. */
function followUpsOf(
  { followUps, unbounded }: Estimate,
  meter: Meter,
  ledger: Ledger,
): RequestGroup[] {
  const foreseen = [...followUps.values()]
    .filter((kind) => kind.meter === meter)
    .map(({ dataset, wants, together }) => ({
      count: Math.ceil(wants.size / together),
      cost: ledger.cost(meter, dataset) ?? 1,
    }));
  return unbounded.has(meter) ? [...foreseen, { count: Infinity, cost: 1 }] : foreseen;
}

/**
 * Returns the most that these can spend: the most expensive first, `requests` at most, each only if its units are left.
 */
function maxSpend(groups: readonly RequestGroup[], requests: number, units: number): number {
  let [unsent, spent] = [requests, 0];
  for (const { count, cost } of groups.toSorted((a, b) => b.cost - a.cost)) {
    const sent = Math.min(count, unsent, Math.floor(units / cost));
    unsent -= sent;
    spent += sent * cost;
  }
  return Math.min(spent, units);
}

const CODE = 'DRY_RUN';

/** Thrown by a dry run instead of sending a request: a field that needs the answer ends here. */
export class DryRunStop extends GraphQLError {
  constructor() {
    super('A dry run sends nothing', { extensions: { code: CODE } });
  }
}

/** Returns the errors to report of a dry run: those of its fields, and of those that did not run, each reason once. */
export function errorsOfDryRun(
  ofFields: readonly GraphQLError[] = [],
  { refusals }: Estimate,
): GraphQLError[] {
  const told = ofFields.filter(({ extensions }) => extensions['code'] !== CODE);
  const reasons = new Set(told.map(({ message }) => message));
  const untold = new Map(refusals.map((refusal) => [refusal.message, refusal]));
  return [...told, ...[...untold.values()].filter(({ message }) => !reasons.has(message))];
}
