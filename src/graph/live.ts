import { createContextCache } from '@pothos/core';
import { METERS } from '../meters.ts';
import { whenEnded } from '../shared/tasks.ts';
import { PRIORITIES } from '../spending/priority.ts';
import type { Endpoint } from '../upstream/endpoint.ts';
import { MarketError, OverUnits } from '../upstream/errors.ts';
import { expectedCost } from '../upstream/payment.ts';
import { type Spender, startOperation } from '../usage/operation.ts';
import { builder } from './builder.ts';
import type { Context, Gateway } from './context.ts';
import { createPoller, type PollResult, type Poller } from './poller.ts';
import { UNLIMITED } from './resources.ts';

/**
 * Subscriptions are fed by polling (the spec does not describe the upstream's webhooks). Each domain's
 * live.ts says what to poll and which events a subscriber gets; this file shares one poller among all
 * subscribers to the same key, and streams.ts turns what it finds into one stream for each of them.
 */

builder.subscriptionType({
  description: 'Live updates. All subscribers to the same data share their upstream requests.',
});

const TIMEOUT_MS = 30_000;

/**
 * A poll is an operation of its own, with the same limit on upstream requests. Its units are booked as
 * background: no client asked for them, so it also comes last where requests wait for the upstream.
 */
async function inBackground<T>(
  gateway: Gateway,
  spender: Spender | undefined,
  poll: (context: Context) => Promise<PollResult<T>>,
): Promise<PollResult<T>> {
  const deadline = gateway.monotonic() + TIMEOUT_MS;
  const { maxRequestsPerOperation: maxRequests } = gateway.settings;
  const trace = gateway.beginTrace?.('poll');
  const operation = startOperation({ maxRequests, deadline, spender, trace });
  try {
    const found = await poll({ gateway, operation, resources: UNLIMITED });
    return { ...found, wasHere: operation.requests + operation.coalesced === 0 };
  } finally {
    await whenEnded(operation.underWay);
    for (const meter of METERS) gateway.background[meter] += operation.used[meter];
    trace?.end({ name: 'poll', attributes: {} });
  }
}

interface Shared<K, T> {
  key: K;
  poller: Poller<T>;
}

interface SharedPollers<K, T> {
  pollerOf(gateway: Gateway, key: K): Pick<Poller<T>, 'listen'>;
  /** Has the pollers of some keys look at an answer that came another way; by default all. */
  look(gateway: Gateway, isAbout?: (key: K) => boolean): void;
}

/**
 * One poller for each key that somebody listens to, shared by all who do. `pollOf` is called once for each of them: it
 * returns what fetches the value of the key from `endpoint`, and says when to fetch it again.
 */
export function sharedPollers<K, T>(
  endpoint: Endpoint<unknown>,
  keyOf: (key: K) => string,
  pollOf: (key: K) => (context: Context) => Promise<PollResult<T>>,
): SharedPollers<K, T> {
  const pollersOf = createContextCache((_gateway: Gateway) => new Map<string, Shared<K, T>>());
  const pollerFor = (gateway: Gateway, key: K): Poller<T> => {
    const pollers = pollersOf(gateway);
    const id = keyOf(key);
    const known = pollers.get(id);
    if (known) return known.poller;
    const poll = pollOf(key);
    const poller = createPoller<T>({
      poll: (spenders) => inBackground(gateway, payingOf(spenders, endpoint, gateway), poll),
      now: gateway.monotonic,
      isFinal: wouldFailAgain,
      onIdle: () => pollers.delete(id),
    });
    pollers.set(id, { key, poller });
    return poller;
  };
  return {
    pollerOf: (gateway, key) => ({
      listen: (listener) => pollerFor(gateway, key).listen(listener),
    }),
    look(gateway, isAbout = () => true) {
      for (const { key, poller } of pollersOf(gateway).values()) if (isAbout(key)) poller.look();
    },
  };
}

/**
 * Who pays for a poll: the subscriber with the highest priority and, among equals, the one subscribed longest, of those
 * whose budgets and `maxUnitsPerOperation` cover it. Where nobody's do, the first is taken and gets the refusal. The
 * payer's priority decides how often is polled.
 */
function payingOf(
  spenders: readonly Spender[],
  endpoint: Endpoint<unknown>,
  { ledger }: Gateway,
): Spender | undefined {
  const cost = expectedCost(ledger, endpoint);
  const canPay = ({ payer, maxUnits = Infinity }: Spender) =>
    cost <= maxUnits && ledger.allows(endpoint.meter, cost, payer);
  const inOrder = spenders.toSorted((a, b) => rankOf(a) - rankOf(b));
  return inOrder.find(canPay) ?? inOrder[0];
}

const rankOf = ({ priority }: Spender) => PRIORITIES.indexOf(priority);

/**
 * Whether the next poll would fail in the same way: wrong arguments do, and so does needing more requests than one
 * operation may send. OverUnits does not: another subscriber may pay next time, and what has come is cached.
 */
function wouldFailAgain(error: unknown): boolean {
  if (!(error instanceof MarketError) || error instanceof OverUnits) return false;
  return error.code === 'UPSTREAM_BUDGET_EXCEEDED' || error.code === 'BAD_USER_INPUT';
}
