import type { Ledger } from '../usage/units.ts';
import type { Received, Request } from './endpoint.ts';
import { NotSent } from './errors.ts';
import { isUnknownCost } from './payment.ts';

type Asking = Pick<Request<unknown>, 'endpoint' | 'operation'>;

/** Undefined: nothing was sent. */
type Answered = Pick<Received<unknown>, 'units'> | undefined;

/**
 * The cost of a request is estimated from earlier answers. Until a first answer states it, only as many requests run at
 * once as the limits cover at the maximum cost, but always one: only that one can exceed a limit. The others wait until
 * the cost is known, or until a request fails or finds nothing, which is free: otherwise each would wait for all those
 * before it.
 */
export function createFirstAnswers(ledger: Ledger, maxUnitsPerRequest: number) {
  const inFlight = new Map<string, Set<Promise<Answered>>>();

  /** Whether the limits of operation, client and month cover this many requests, whatever each costs. */
  function canPay({ endpoint, operation }: Asking, requests: number): boolean {
    const maxUnits = requests * maxUnitsPerRequest;
    const fitsOperation = operation.units + maxUnits <= operation.maxUnits;
    return fitsOperation && ledger.allows(endpoint.meter, maxUnits, operation.spender.payer);
  }

  const mustWait = (request: Asking, others: number) =>
    others > 0 && isUnknownCost(ledger, request.endpoint) && !canPay(request, others + 1);

  return async function run<T extends Answered>(
    request: Asking,
    send: () => Promise<T>,
  ): Promise<T> {
    const { endpoint } = request;
    if (!isUnknownCost(ledger, endpoint)) return send();
    const others = inFlight.get(endpoint.name) ?? new Set();
    inFlight.set(endpoint.name, others);
    let isInVain = false;
    while (!isInVain && mustWait(request, others.size)) isInVain = await isFirstInVain(others);
    const sent = send();
    others.add(sent);
    return sent.finally(() => others.delete(sent));
  };
}

/**
 * Whether the first of the requests to end has failed, or was answered for free: neither tells the cost of others. One
 * that was not sent leaves its place to another.
 */
const isFirstInVain = (all: Iterable<Promise<Answered>>): Promise<boolean> =>
  Promise.race(all).then(
    (answered) => answered?.units === 0,
    (error: unknown) => !(error instanceof NotSent),
  );
