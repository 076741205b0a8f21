import { type Group, groupOf, labelOf, type Meter } from '../meters.ts';
import type { BudgetState, UsedUp } from '../usage/units.ts';
import { FAILURES, type FailureCode, NotSent, RefreshRefused } from './errors.ts';

/** The errors of requests that are not sent. */

const EXHAUSTED: Readonly<Record<Group, FailureCode>> = {
  A: 'QUOTA_EXCEEDED',
  B: 'INSUFFICIENT_CREDITS',
};

/**
 * The error for a meter that is known to be used up, or to leave less than a request is expected to cost: nothing is
 * sent. `own`: our own limit, if that leaves too little; otherwise the upstream refused, which does not say when the
 * meter resets.
 */
export function exhausted(meter: Meter, own?: UsedUp): NotSent {
  const group = groupOf(meter);
  const code = EXHAUSTED[group];
  if (!own) return new NotSent(code, { group, meter });
  const details = { limit: own.limit, resetsAt: new Date(own.resetsAt).toISOString() };
  const unsure = own.uncertain > 0 ? `, ${own.uncertain} of which may not have been charged` : '';
  const message = `${FAILURES[code].message} (${meter} limit: ${details.limit}${unsure}); resets at ${details.resetsAt}`;
  return new NotSent(code, { group, meter, message, details });
}

/** The error for a request that would only refresh what is cached, while units are kept for new questions. */
export function refreshRefused(meter: Meter): NotSent {
  const group = groupOf(meter);
  return new RefreshRefused(EXHAUSTED[group], { group, meter });
}

/** The fields of an error about exceeding a limit of one operation; `setting` tells programs which limit. */
const aboutLimit = (meter: Meter, message: string, setting: string, limit: number) => ({
  group: groupOf(meter),
  meter,
  message,
  details: { setting, limit },
});

/** The error for an operation that has sent all the requests it may (`max`): none is sent for this meter. */
export function overRequestLimit(meter: Meter, max: number): NotSent {
  const setting = 'MAX_UPSTREAM_REQUESTS_PER_OPERATION';
  const message = `One operation may send ${max} upstream requests (${setting}), and this one has sent that many`;
  return new NotSent('UPSTREAM_BUDGET_EXCEEDED', aboutLimit(meter, message, setting, max));
}

/** The operation would exceed what its client's operations may spend; those of other clients may spend more. */
export class OverUnits extends NotSent {}

/** The error for an operation that has too few units left of those that its client's operations may spend (`max`). */
export function overUnits(meter: Meter, max: number): OverUnits {
  const setting = 'maxUnitsPerOperation';
  const message = `One operation of this client may spend ${max} units (${setting}), and this one has too few of them left`;
  return new OverUnits('UPSTREAM_BUDGET_EXCEEDED', aboutLimit(meter, message, setting, max));
}

/** The error for an operation whose key has been revoked since it began. */
export const revokedKey = () => new NotSent('UNAUTHENTICATED');

/** The error for a client with a budget that leaves too little for a request until `resetsAt`. */
export function overClientBudget(
  client: string,
  { meter, window, limit, resetsAt }: BudgetState,
): NotSent {
  const until = new Date(resetsAt).toISOString();
  const budget = `budget of ${limit} (${labelOf(meter)}) for this ${window.toLowerCase()}`;
  const message = `The client ${client} has too little left of its ${budget}; resets at ${until}`;
  const details = { client, window, limit, resetsAt: until };
  return new NotSent('CLIENT_BUDGET_EXCEEDED', { group: groupOf(meter), meter, message, details });
}

/** No turn under the upstream's limits came in time. */
export class NoTurn extends NotSent {}

/** The error for an operation whose turn to send a request did not come in time, whatever it waited for. */
export const noTurn = (group: Group) =>
  new NoTurn('RATE_LIMITED', {
    group,
    message: 'No request could be sent in time: the upstream limits how many it accepts',
  });

/** The error for a request that the upstream refused, and whose turn to be sent again did not come in time. */
export const noTurnAgain = (group: Group) => new NoTurn('RATE_LIMITED', { group });
