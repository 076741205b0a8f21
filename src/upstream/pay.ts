import type { Clock } from '../time.ts';
import type { Reservation } from '../usage/units.ts';
import type { LazyTarget, Target } from './endpoint.ts';
import type { MarketError } from './errors.ts';
import type { Payment } from './payment.ts';

/** A request that may be sent now: other processes wait for its answer, and its units are reserved. */
interface Paid {
  target: Target;
  reservation: Reservation;
}

interface Paying {
  target: LazyTarget;
  timedOut?: MarketError | undefined;
  payment: Payment;
}

/**
 * How long a claim may have waited for units when its request is sent, in milliseconds. The lease of a claim is a second
 * longer than a request may take (graph/dataset.ts): the rest of that second is for storing the answer.
 */
const MAX_UNITS_WAIT_MS = 500;

/**
 * Claims what to ask for, and reserves units for it. Returns undefined if the request is no longer to be sent. If it had
 * to wait for its units, it is claimed anew while they are reserved, so that this is needed only once: the claim might
 * end before the request does, and then another process would send the same request.
 */
export async function pay(request: Paying, monotonic: Clock): Promise<Paid | undefined> {
  const { target, timedOut, payment } = request;
  const found = await target(timedOut);
  if (!found) return undefined;
  const since = monotonic();
  const reservation = await payment.reserve();
  if (monotonic() - since <= MAX_UNITS_WAIT_MS) return { target: found, reservation };
  return claimAnew(request, reservation);
}

async function claimAnew(
  { target, timedOut }: Paying,
  reservation: Reservation,
): Promise<Paid | undefined> {
  let found: Target | undefined;
  try {
    found = await target(timedOut);
    return found && { target: found, reservation };
  } finally {
    if (!found) reservation.end({ units: 0 });
  }
}
