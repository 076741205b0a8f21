import type { Operation } from '../usage/operation.ts';
import type { Ledger, Reservation } from '../usage/units.ts';
import { DIALECTS } from './dialects.ts';
import type { Endpoint } from './endpoint.ts';
import {
  exhausted,
  NotSent,
  overClientBudget,
  overRequestLimit,
  overUnits,
  revokedKey,
} from './errors.ts';
import { book, type Outcome } from './outcome.ts';

/** Who pays for a request, and whether they may: an operation, its client, the month's allowance. */
export interface Payment {
  /** It is not sent after all. */
  withdraw(): void;
  /** Sets units aside. Throws NotSent where too few are left, or where nobody can tell: it is to be withdrawn then. */
  reserve(): Promise<Reservation>;
  /** Books what it has cost; returns the units. */
  settle(reservation: Reservation, outcome: Outcome): number;
}

type Paid = Pick<Endpoint<unknown>, 'group' | 'meter' | 'name'>;

/** What an operation has asked for before its next request. */
interface Before {
  requests: number;
  units: number;
  /** Units of the meter that no account knows: those of a dry run, and of requests that wait for their turn. */
  unbooked: number;
}

/** What a request is expected to cost; a unit, as long as nothing else is known. */
export const expectedCost = (ledger: Ledger, { meter, name }: Paid): number =>
  ledger.cost(meter, name) ?? 1;

/** Whether no answer has told it. Where answers state none requests cost a unit each (spec sections 2.4 and 8). */
export const isUnknownCost = (ledger: Ledger, { group, meter, name }: Paid): boolean =>
  DIALECTS[group].statesUnits && ledger.cost(meter, name) === undefined;

/** Throws NotSent where an operation may not send one more request. */
export function checkMaySend(
  ledger: Ledger,
  endpoint: Paid,
  { maxRequests, maxUnits, spender: { payer, isRevoked } }: Operation,
  { requests, units, unbooked }: Before,
): void {
  const { meter } = endpoint;
  if (isRevoked) throw revokedKey();
  const cost = expectedCost(ledger, endpoint);
  const wanted = unbooked + cost;
  const isAllowed = ledger.left(meter) > unbooked && ledger.allows(meter, wanted);
  if (!isAllowed) throw exhausted(meter, ledger.usedUp(meter, wanted));
  if (requests >= maxRequests) throw overRequestLimit(meter, maxRequests);
  if (units + cost > maxUnits) throw overUnits(meter, maxUnits);
  // Refused here, before the request queues for a permit, so that it takes no turn from other clients.
  const budget = payer && ledger.exceeded(payer, meter, cost);
  if (budget && budget.used + unbooked + cost > budget.limit)
    throw overClientBudget(payer.name, budget);
}

/** Counts a request that an operation is about to send. Throws NotSent where it may not. */
export function beginPayment(ledger: Ledger, endpoint: Paid, operation: Operation): Payment {
  const { group, meter, name: dataset } = endpoint;
  const { name } = operation.spender;
  const before = operation.unbooked[meter];
  checkMaySend(ledger, endpoint, operation, { ...operation, unbooked: before });
  let counted = 0;
  let unbooked = 0;
  count(expectedCost(ledger, endpoint));
  setUnbooked(counted);
  operation.requests += 1;

  /** As so many units. */
  function count(units: number): void {
    operation.units += units - counted;
    counted = units;
  }

  function setUnbooked(units: number): void {
    operation.unbooked[meter] += units - unbooked;
    unbooked = units;
  }

  return {
    withdraw() {
      setUnbooked(0);
      operation.requests -= 1;
      count(0);
    },
    async reserve() {
      // The cost may be known by now.
      count(expectedCost(ledger, endpoint));
      if (operation.units > operation.maxUnits) throw overUnits(meter, operation.maxUnits);
      // The file of clients may have changed while the request waited for its turn.
      const { payer, isRevoked } = operation.spender;
      if (isRevoked) throw revokedKey();
      setUnbooked(0);
      const given = await ledger.reserve(meter, { payer, operation: name(), dataset });
      if (typeof given === 'object') return given;
      if (given === 'UNCERTAIN') throw new NotSent('SPENDING_UNCERTAIN', { group, meter });
      const budget = given === 'OVER_BUDGET' && payer && ledger.exceeded(payer, meter, counted);
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
