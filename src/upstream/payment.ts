import { type Meter, totalOf } from '../meters.ts';
import type { Operation } from '../usage/operation.ts';
import type { Ledger, Payer, Reservation } from '../usage/units.ts';
import { DIALECTS } from './dialects.ts';
import type { Endpoint } from './endpoint.ts';
import { MarketError, NotSent, Unanswered } from './errors.ts';
import type { Outcome } from './outcome.ts';
import {
  exhausted,
  overClientBudget,
  overRequestLimit,
  overUnits,
  revokedKey,
} from './not-sent.ts';

/** How one request is paid for, within the limits of its operation, its client and the month. */
export interface Payment {
  /** Undoes the payment: the request is not sent after all. */
  withdraw(): void;
  /** Reserves units. Rejects with NotSent if too few are left, or if that is unknown; then it has to be withdrawn. */
  reserve(): Promise<Reservation>;
  /** Books what the request cost; returns the units. */
  settle(reservation: Reservation, outcome: Outcome): number;
}

type PaidEndpoint = Pick<Endpoint<unknown>, 'group' | 'meter' | 'name'>;

/** What an operation has requested and spent before its next request. */
interface SpentSoFar {
  requests: number;
  units: number;
  /** Units of the meter that no account has counted yet: those of a dry run, and of pending requests. */
  unbooked: number;
}

/** Returns what a request is expected to cost: one unit, as long as nothing else is known. */
export const expectedCost = (ledger: Ledger, { meter, name }: PaidEndpoint): number =>
  ledger.cost(meter, name) ?? 1;

/** Whether no answer has stated the cost. In a group that states none, each costs a unit (spec sections 2.4 and 8). */
export const isUnknownCost = (ledger: Ledger, { group, meter, name }: PaidEndpoint): boolean =>
  DIALECTS[group].statesUnits && ledger.cost(meter, name) === undefined;

/** Returns why an operation may not send one more request; undefined if it may. */
export function refusalOf(
  ledger: Ledger,
  endpoint: PaidEndpoint,
  { maxRequests, maxUnits, spender: { payer, isRevoked } }: Operation,
  { requests, units, unbooked }: SpentSoFar,
): NotSent | undefined {
  const { meter } = endpoint;
  if (isRevoked) return revokedKey();
  const cost = expectedCost(ledger, endpoint);
  const wanted = unbooked + cost;
  const isAllowed = ledger.left(meter) > unbooked && ledger.allows(meter, wanted);
  if (!isAllowed) return exhausted(meter, ledger.usedUp(meter, wanted));
  if (requests >= maxRequests) return overRequestLimit(meter, maxRequests);
  if (units + cost > maxUnits) return overUnits(meter, maxUnits);
  // Refused here, before the request queues for a permit, so that it takes no turn from other clients.
  const budget = payer && ledger.exceeded(payer, meter, cost);
  if (budget && budget.used + unbooked + cost > budget.limit)
    return overClientBudget(payer.name, budget);
  return undefined;
}

/** What an operation has requested and spent if all of its pending requests are sent, and if none is. */
const withPending = ({ requests, units, unbooked }: Operation, meter: Meter): SpentSoFar => ({
  requests,
  units,
  unbooked: unbooked[meter],
});
const withoutPending = ({ requests, units, unbooked, pending }: Operation): SpentSoFar => ({
  requests: requests - pending,
  units: units - totalOf(unbooked),
  unbooked: 0,
});

/**
 * Resolves once none of the operation's requests is pending. Throws `refused` if another one could not be sent even if
 * all of them were withdrawn. No more may wait than an operation may send: other operations may have joined these
 * requests, and wait with them.
 */
function untilNonePending(
  ledger: Ledger,
  endpoint: PaidEndpoint,
  operation: Operation,
  refused: NotSent,
): Promise<void> {
  const { pending, maxRequests } = operation;
  if (pending === 0 || refusalOf(ledger, endpoint, operation, withoutPending(operation)))
    throw refused;
  const heldBack = (operation.heldBack ??= { requests: 0, end: Promise.withResolvers() });
  if (heldBack.requests >= maxRequests) throw refused;
  heldBack.requests += 1;
  return heldBack.end.promise;
}

function endPending(operation: Operation): void {
  operation.pending -= 1;
  if (operation.pending > 0) return;
  operation.heldBack?.end.resolve();
  operation.heldBack = undefined;
}

/**
 * Counts a request that an operation is about to send. If only the operation's own pending requests leave no room for
 * it, waits for their outcome first. Rejects with NotSent if the request may not be sent.
 */
export async function beginPayment(
  ledger: Ledger,
  endpoint: PaidEndpoint,
  operation: Operation,
): Promise<Payment> {
  const { group, meter, name: dataset } = endpoint;
  const { name } = operation.spender;
  const check = () => refusalOf(ledger, endpoint, operation, withPending(operation, meter));
  for (let refused = check(); refused; refused = check())
    await untilNonePending(ledger, endpoint, operation, refused);
  let counted = 0;
  let isPending = true;
  count(expectedCost(ledger, endpoint));
  operation.requests += 1;
  operation.pending += 1;

  /** Counts the request as this many units. */
  function count(units: number): void {
    operation.units += units - counted;
    if (isPending) operation.unbooked[meter] += units - counted;
    counted = units;
  }

  function leavePending(): void {
    if (!isPending) return;
    isPending = false;
    operation.unbooked[meter] -= counted;
    endPending(operation);
  }

  return {
    withdraw() {
      leavePending();
      operation.requests -= 1;
      count(0);
    },
    async reserve() {
      // The cost may be known by now.
      count(expectedCost(ledger, endpoint));
      if (operation.units > operation.maxUnits) throw overUnits(meter, operation.maxUnits);
      // The clients file may have changed while the request waited for its turn.
      const { payer, isRevoked } = operation.spender;
      if (isRevoked) throw revokedKey();
      const reserved = await ledger.reserve(meter, { payer, operation: name(), dataset });
      if (typeof reserved === 'object') {
        const refused = refusedMeanwhile(ledger, endpoint, operation, payer);
        if (refused) {
          reserved.end({ units: 0 });
          throw refused;
        }
        leavePending();
        return reserved;
      }
      if (reserved === 'UNCERTAIN') throw new NotSent('SPENDING_UNCERTAIN', { group, meter });
      const budget = reserved === 'OVER_BUDGET' && payer && ledger.exceeded(payer, meter, counted);
      if (budget) throw overClientBudget(payer.name, budget);
      throw exhausted(meter, ledger.usedUp(meter, counted));
    },
    settle(reservation, outcome) {
      const units = book(reservation, outcome);
      operation.used[meter] += units;
      count(units);
      return units;
    },
  };
}

/**
 * Returns why a request may no longer be sent although its units are reserved: that may have taken seconds, in which the
 * clients file may have changed. `before`: who paid then. The reservation is already part of what its budgets have used.
 */
function refusedMeanwhile(
  ledger: Ledger,
  { meter }: PaidEndpoint,
  { spender: { payer, isRevoked } }: Operation,
  before: Payer | undefined,
): NotSent | undefined {
  if (isRevoked) return revokedKey();
  const budget = payer && payer !== before && ledger.exceeded(payer, meter, 0);
  return budget && budget.used > budget.limit ? overClientBudget(payer.name, budget) : undefined;
}

/** Books what the request cost, and what the upstream says about the meter; returns the units. */
function book(reservation: Reservation, outcome: Outcome): number {
  const { units, remaining, result } = outcome;
  if (result instanceof Unanswered) return reservation.endUnanswered();
  const code = result instanceof MarketError ? result.code : undefined;
  const isExhausted = code === 'QUOTA_EXCEEDED' || code === 'INSUFFICIENT_CREDITS';
  return reservation.end({ units, remaining, exhausted: isExhausted });
}
