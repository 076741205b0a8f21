import { Counter, type Registry } from 'prom-client';
import type { ObserveOperation } from '../pipeline/request.ts';
import { createBounded } from './bounded.ts';

/** Counts operations, whatever door they came by; every event of a subscription is one. */

/** Named operations that are told apart; the same text under a thousand names is one attack, not a thousand metrics. */
const MOST_NAMES = 500;

type End = Parameters<ObserveOperation>[0];

export function observeOperations(registry: Registry): ObserveOperation {
  const operations = new Counter({
    name: 'marketgraph_operations_total',
    help: 'Operations that are over.',
    labelNames: ['operation', 'client', 'cache', 'status'],
    registers: [registry],
  });
  const questions = new Counter({
    name: 'marketgraph_questions_total',
    help: 'Questions of executed operations to the cache, by how they were answered.',
    labelNames: ['answer'],
    registers: [registry],
  });
  const answers = ['hit', 'joined', 'stale'] as const;
  const [hit, joined, stale] = answers.map((answer) => questions.labels(answer));
  const nameOf = createBounded(MOST_NAMES);
  const counters = new Map<string, Counter.Internal>();

  return (end) => {
    const labels = [nameOf(end.name ?? ''), end.client ?? '', cacheOf(end), statusOf(end)] as const;
    const key = labels.join('\n');
    const counter = counters.get(key) ?? operations.labels(...labels);
    counters.set(key, counter);
    counter.inc();
    if (!end.operation) return;
    hit?.inc(end.operation.cacheHits);
    joined?.inc(end.operation.coalesced);
    stale?.inc(end.operation.stale);
  };
}

/** `kept`: the whole answer was there; `hit`: all of its parts were; `none`: nothing was executed. */
function cacheOf({ by, operation }: End): 'kept' | 'hit' | 'miss' | 'stale' | 'none' {
  if (by === 'kept answer') return 'kept';
  if (!operation) return 'none';
  if (operation.stale > 0) return 'stale';
  return operation.requests > 0 || operation.coalesced > 0 ? 'miss' : 'hit';
}

function statusOf({ by, errors }: End): 'ok' | 'error' | 'refused' {
  if (by === 'refusal') return 'refused';
  return errors.length > 0 ? 'error' : 'ok';
}
