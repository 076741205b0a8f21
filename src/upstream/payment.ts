import type { Group, Meter } from '../meters.ts';
import type { Operation } from '../usage/operation.ts';
import type { Ledger, Reservation } from '../usage/units.ts';
import type { Endpoint } from './endpoint.ts';
import { exhausted, NotSent, overBudget, overClientBudget, overUnits } from './errors.ts';
import { book, type Outcome } from './outcome.ts';

/** Who pays for a request, and whether they may: an operation, its client, the month's allowance. */
export interface Payment {
  /** Counts a request that an operation is about to send. Throws NotSent where it may not. */
  begin(meter: Meter, operation: Operation): void;
  /** It is not sent after all. */
  withdraw(operation: Operation): void;
  /** Sets a unit aside. Throws NotSent where none is left, or where nobody can tell. */
  reserve(endpoint: Endpoint<unknown>, operation: Operation): Promise<Reservation>;
  /** Books what it has cost; returns the units. */
  settle(meter: Meter, operation: Operation, reservation: Reservation, outcome: Outcome): number;
}

/** What an operation has asked for before its next request. */
interface Before {
  requests: number;
  units: number;
  /** Units of the meter that no account knows: those of a dry run. */
  unbooked: number;
}

/** Throws NotSent where an operation may not send one more request. */
export function checkMaySend(
  ledger: Ledger,
  meter: Meter,
  { maxRequests, maxUnits, spender: { payer } }: Operation,
  { requests, units, unbooked }: Before,
): void {
  if (ledger.left(meter) <= unbooked) throw exhausted(meter, ledger.usedUp(meter, unbooked));
  if (requests >= maxRequests) throw overBudget(meter, maxRequests);
  if (units >= maxUnits) throw overUnits(meter, maxUnits);
  // Who has used up a budget takes no turn from others.
  const budget = payer && ledger.exceeded(payer, meter);
  if (budget && budget.used + unbooked >= budget.limit) throw overClientBudget(payer.name, budget);
}

export function createPayment(group: Group, ledger: Ledger): Payment {
  function withdraw(operation: Operation): void {
    operation.requests -= 1;
    operation.units -= 1;
  }

  return {
    begin(meter, operation) {
      checkMaySend(ledger, meter, operation, { ...operation, unbooked: 0 });
      operation.requests += 1;
      // A request costs a unit, as long as nothing else is known.
      operation.units += 1;
    },
    withdraw,
    async reserve({ meter, name: dataset }, operation) {
      const { payer, name } = operation.spender;
      const reservation = await ledger.reserve(meter, { payer, operation: name(), dataset });
      if (typeof reservation === 'object') return reservation;
      withdraw(operation);
      if (reservation === 'UNCERTAIN') throw new NotSent('SPENDING_UNCERTAIN', { group, meter });
      const budget = reservation === 'OVER_BUDGET' && payer && ledger.exceeded(payer, meter);
      throw budget ? overClientBudget(payer.name, budget) : exhausted(meter, ledger.usedUp(meter));
    },
    settle(meter, operation, reservation, outcome) {
      const units = book(reservation, outcome);
      operation.used[meter] += units;
      operation.units += units - 1;
      return units;
    },
  };
}
