import { Counter, type Registry } from 'prom-client';
import type { ObserveOperation, OperationEnd } from '../pipeline/request.ts';
import { type Bounded, createBounded, OTHER } from './bounded.ts';

/** Counts operations, whatever door they came by; every event of a subscription is one. */

/** Named operations that are told apart; the same text under a thousand names is one attack, not a thousand metrics. */
const MOST_NAMES = 500;
/** Names of operations together with clients; later ones are other operations of their client. */
const MOST_PAIRS = 1000;

/** The counters of an operation and its client, by `cache` and `status`. */
type Counters = Map<string, Counter.Internal>;

export function observeOperations(registry: Registry, clientOf: Bounded): ObserveOperation {
  const operations = new Counter({
    name: 'marketgraph_operations_total',
    help: 'Operations that are over.',
    labelNames: ['operation', 'client', 'cache', 'status'],
    registers: [registry],
  });
  const questions = new Counter({
    name: 'marketgraph_questions_total',
    help: 'Questions of operations to the cache, by how they were answered.',
    labelNames: ['answer'],
    registers: [registry],
  });
  const answers = ['hit', 'joined', 'stale'] as const;
  const [hit, joined, stale] = answers.map((answer) => questions.labels(answer));
  const counters = createPairs(clientOf);

  return (end) => {
    const [name, client, known] = counters(end.name ?? '', end.client ?? '');
    const [cache, status] = [cacheOf(end), statusOf(end)];
    const key = cache + status;
    const counter = known.get(key) ?? operations.labels(name, client, cache, status);
    if (!known.has(key)) known.set(key, counter);
    counter.inc();
    if (end.hits > 0) hit?.inc(end.hits);
    if (!end.operation) return;
    joined?.inc(end.operation.coalesced);
    stale?.inc(end.operation.stale);
  };
}

type Pair = readonly [name: string, client: string, counters: Counters];

/** What is counted for an operation of a client, as far as it is told apart from others. */
function createPairs(clientOf: Bounded): (name: string, client: string) => Pair {
  const nameOf = createBounded(MOST_NAMES);
  const pairs = new Map<string, Map<string, Pair>>();
  let count = 0;

  return function pairOf(name, client): Pair {
    const [short, by] = [nameOf(name), clientOf(client)];
    const known = pairs.get(short)?.get(by);
    if (known) return known;
    if (count >= MOST_PAIRS && short !== OTHER) return pairOf(OTHER, client);
    const pair: Pair = [short, by, new Map()];
    const ofName = pairs.get(short) ?? new Map<string, Pair>();
    pairs.set(short, ofName.set(by, pair));
    count += 1;
    return pair;
  };
}

/** `kept`: the whole answer was there; `hit`: all of its parts were; `none`: nothing was executed. */
export function cacheOf({
  by,
  operation,
}: OperationEnd): 'kept' | 'hit' | 'miss' | 'stale' | 'none' {
  if (by === 'kept answer') return 'kept';
  if (!operation) return 'none';
  if (operation.stale > 0) return 'stale';
  return operation.requests > 0 || operation.coalesced > 0 ? 'miss' : 'hit';
}

function statusOf({ by, errors }: OperationEnd): 'ok' | 'error' | 'refused' {
  if (by === 'refusal') return 'refused';
  return errors.length > 0 ? 'error' : 'ok';
}
