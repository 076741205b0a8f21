import { setImmediate } from 'node:timers/promises';
import { createContextCache } from '@pothos/core';
import { METERS } from '../meters.ts';
import { whenEnded } from '../shared/tasks.ts';
import { PRIORITIES } from '../spending/priority.ts';
import type { Endpoint } from '../upstream/endpoint.ts';
import { MarketError } from '../upstream/errors.ts';
import { OverUnits } from '../upstream/not-sent.ts';
import { expectedCost } from '../upstream/payment.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Spender, startOperation } from '../usage/operation.ts';
import { builder } from './builder.ts';
import type { Context, Gateway } from './context.ts';
import { createPoller, type PollResult, type Poller, RETRY_MS } from './poller.ts';
import { UNLIMITED } from './resources.ts';
import type { Watch } from './watch.ts';

/**
 * Subscriptions are fed by polling (the spec does not describe the upstream's webhooks). Each domain's
 * live.ts says what to poll and which events a subscriber gets; this file shares one poller among all
 * subscribers to the same key, and streams.ts turns what the poller finds into one stream for each of them.
 */

builder.subscriptionType({
  description: 'Live updates. All subscribers to the same data share their upstream requests.',
});

/** How long the requests of a poll may wait for their turn to be sent, in milliseconds. */
const POLL_TIMEOUT_MS = 30_000;

interface PollOptions {
  spender: Spender | undefined;
  isFree: boolean;
  /** Whether all subscribers have left. */
  isAbandoned: () => boolean;
}

/**
 * Runs a poll as an operation of its own, with the same limit on upstream requests. Its units are booked as
 * background: no client asked for them, so its requests also come last in the upstream queue. A free poll is
 * a dry run, which sends nothing.
 */
async function inBackground<T>(
  gateway: Gateway,
  { spender, isFree, isAbandoned }: PollOptions,
  poll: (context: Context) => Promise<PollResult<T>>,
): Promise<PollResult<T>> {
  const deadline = gateway.monotonic() + POLL_TIMEOUT_MS;
  const { maxRequestsPerOperation: maxRequests } = gateway.settings;
  const trace = isFree ? undefined : gateway.beginTrace?.('poll');
  const estimate = isFree ? startEstimate() : undefined;
  const common = { maxRequests, deadline, trace, estimate };
  const operation = startOperation({ ...common, spender, isAbandoned });
  try {
    const found = await poll({ gateway, operation, resources: UNLIMITED });
    return { ...found, wasCached: operation.requests + operation.coalesced === 0 };
  } finally {
    await whenEnded(operation.underWay);
    for (const meter of METERS) gateway.background[meter] += operation.used[meter];
    trace?.end({ name: 'poll', attributes: {} });
  }
}

interface Polled<K, T, A> {
  endpoint: Endpoint<unknown>;
  keyOf(key: K): string;
  /** Whether requests contain client input, which the upstream may refuse for good; by default they do not. */
  sendsInput?(key: K): boolean;
  /**
   * Whether polls follow due times, e.g. of releases, and not expiry: a shorter time to live makes none come sooner.
   */
  isTimed?: boolean;
  /**
   * Called once for each poller. The function that it returns fetches the value of `key` from `endpoint`
   * and says when to fetch it again.
   */
  pollOf(key: K): (context: Context) => Promise<PollResult<T>>;
  /**
   * Answers to the questions of any operation. The poller of `key` takes up those that, by `isAbout`, are about what it
   * polls.
   */
  news?: { answers: Watch<A>; isAbout(answer: A, key: K, gateway: Gateway): boolean };
}

/** Maximum number of pollers that look in a row before other work gets the processor. */
const LOOKS_AT_ONCE = 20;

/** Keeps one poller for each key that has listeners, shared by all of them. */
export function sharedPollers<K, T, A = never>(
  polled: Polled<K, T, A>,
): (gateway: Gateway, key: K) => Pick<Poller<T>, 'listen'> {
  const { endpoint, keyOf, sendsInput = () => false, isTimed = false, pollOf, news } = polled;
  const pollersOf = createContextCache((gateway: Gateway) => {
    const pollers = new Map<string, { key: K; poller: Poller<T> }>();
    news?.answers.watch(gateway, async (answer) => {
      const asked = [...pollers.values()].filter(({ key }) => news.isAbout(answer, key, gateway));
      for (const [i, { poller }] of asked.entries()) {
        if (i % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) await setImmediate();
        poller.look();
      }
    });
    return pollers;
  });
  const pollerFor = (gateway: Gateway, key: K): Poller<T> => {
    const pollers = pollersOf(gateway);
    const id = keyOf(key);
    const known = pollers.get(id);
    if (known) return known.poller;
    const poll = pollOf(key);
    const governor = gateway.governors[endpoint.meter];
    const poller = createPoller<T>({
      async poll(spenders, isFree) {
        const spender = payerOf(spenders(), endpoint, gateway);
        const isAbandoned = () => spenders().length === 0;
        const found = await inBackground(gateway, { spender, isFree, isAbandoned }, poll);
        const isOutranked = () =>
          spenders().some((one) => rankOf(one) < rankOf(spender) && canPay(one, endpoint, gateway));
        return { ...found, isDue: () => found.isDue?.() || (!isTimed && isOutranked()) };
      },
      monotonic: gateway.monotonic,
      stretch: () => (isTimed ? 1 : governor.longestStretch()),
      retryAfter: (error, forMs) => retryAfter(error, forMs, sendsInput(key)),
      onIdle: () => pollers.delete(id),
    });
    pollers.set(id, { key, poller });
    return poller;
  };
  return (gateway, key) => ({ listen: (listener) => pollerFor(gateway, key).listen(listener) });
}

/**
 * Returns who pays for a poll: of the subscribers whose budgets and `maxUnitsPerOperation` cover it, the one with the
 * highest priority and, among equals, the one subscribed longest. If nobody's do, the first in that order is taken and
 * gets the refusal. The payer's priority decides how often the key is polled: if one with a higher priority can pay
 * again, e.g. on a new day, the next poll is due.
 */
function payerOf(
  spenders: readonly Spender[],
  endpoint: Endpoint<unknown>,
  gateway: Gateway,
): Spender | undefined {
  const inOrder = spenders.toSorted((a, b) => rankOf(a) - rankOf(b));
  return inOrder.find((one) => canPay(one, endpoint, gateway)) ?? inOrder[0];
}

function canPay(
  { payer, maxUnits = Infinity }: Spender,
  endpoint: Endpoint<unknown>,
  { ledger }: Gateway,
): boolean {
  const cost = expectedCost(ledger, endpoint);
  return cost <= maxUnits && ledger.allows(endpoint.meter, cost, payer);
}

const rankOf = (spender: Spender | undefined) =>
  spender ? PRIORITIES.indexOf(spender.priority) : Infinity;

/** Longest pause after the upstream has refused a request without client input, in milliseconds. */
const MAX_RETRY_MS = 60_000;

/**
 * In how many milliseconds to poll again after polls have failed for `forMs`; undefined if the next poll would fail in
 * the same way. That is the case if the arguments of a client are wrong, and if a poll needs more requests than one
 * operation may send. OverUnits is no such case: another subscriber may pay next time, and what has come is cached.
 * If a refused request contains no client input, the pauses grow; other failures have pauses of their own
 * (cache/failure-pauses.ts), during which a poll sends nothing.
 */
function retryAfter(error: unknown, forMs: number, sendsInput: boolean): number | undefined {
  if (!(error instanceof MarketError) || error instanceof OverUnits) return RETRY_MS;
  if (error.code === 'UPSTREAM_BUDGET_EXCEEDED') return undefined;
  if (error.code !== 'BAD_USER_INPUT') return RETRY_MS;
  return sendsInput ? undefined : Math.min(MAX_RETRY_MS, Math.max(RETRY_MS, forMs));
}
