import type { Registry } from 'prom-client';
import type { OperationEnd } from '../pipeline/request.ts';
import type { RepeatsObserver } from './batch.ts';
import { type Bounded, createBounded, OTHER } from './bounded.ts';
import { type Cell, createCounter } from './cells.ts';

/** Counts operations, over whichever transport they arrive; every event of a subscription is one. */

/** Maximum number of names that are told apart: a text under a thousand names is one attack, not a thousand metrics. */
const MAX_NAMES = 500;
/** Maximum number of pairs of name and client; further ones count as other operations of their client. */
const MAX_PAIRS = 1000;

export function observeOperations(registry: Registry, clientOf: Bounded): RepeatsObserver {
  const createCell = createCounter({
    registry,
    name: 'marketgraph_operations_total',
    help: 'Operations that have ended.',
    labelNames: ['operation', 'client', 'cache', 'status'],
  });
  const createQuestionCell = createCounter({
    registry,
    name: 'marketgraph_questions_total',
    help: 'Questions of operations to the cache, by how they were answered.',
    labelNames: ['answer'],
  });
  const hit = createQuestionCell({ answer: 'hit' });
  const joined = createQuestionCell({ answer: 'joined' });
  const stale = createQuestionCell({ answer: 'stale' });
  const pairOf = createPairs(clientOf);

  function cellOf(end: OperationEnd): Cell {
    const { operation, client, cells } = pairOf(end.name ?? '', end.client ?? '');
    const [cache, status] = [cacheOf(end), statusOf(end)];
    const key = KEYS[cache][status];
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = createCell({ operation, client, cache, status })));
    return cell;
  }

  return {
    ended(end) {
      cellOf(end).count += 1;
      // A dry run answers no question.
      if (end.operation?.estimate) return;
      hit.count += end.hits;
      joined.count += end.joined;
      stale.count += end.operation?.stale ?? 0;
    },
    repeats(first) {
      const [cell, { hits }] = [cellOf(first), first];
      return () => {
        cell.count += 1;
        hit.count += hits;
      };
    },
  };
}

type Cache = 'kept' | 'hit' | 'miss' | 'stale' | 'none';
type Status = 'ok' | 'error' | 'refused' | 'overload';

/** Numbers as keys: looked up faster than a text that is put together each time. */
const KEYS: Record<Cache, Record<Status, number>> = {
  kept: { ok: 0, error: 1, refused: 2, overload: 3 },
  hit: { ok: 4, error: 5, refused: 6, overload: 7 },
  miss: { ok: 8, error: 9, refused: 10, overload: 11 },
  stale: { ok: 12, error: 13, refused: 14, overload: 15 },
  none: { ok: 16, error: 17, refused: 18, overload: 19 },
};

interface Pair {
  operation: string;
  client: string;
  cells: Map<number, Cell>;
}

/** Returns what is counted for an operation of a client, as far as the two are told apart from others. */
function createPairs(clientOf: Bounded): (name: string, client: string) => Pair {
  const nameOf = createBounded(MAX_NAMES);
  const pairs = new Map<string, Map<string, Pair>>();
  let count = 0;

  return function pairOf(name, client): Pair {
    const [operation, by] = [nameOf(name), clientOf(client)];
    const known = pairs.get(operation)?.get(by);
    if (known) return known;
    if (count >= MAX_PAIRS && operation !== OTHER) return pairOf(OTHER, client);
    const pair: Pair = { operation, client: by, cells: new Map() };
    const ofName = pairs.get(operation) ?? new Map<string, Pair>();
    pairs.set(operation, ofName.set(by, pair));
    count += 1;
    return pair;
  };
}

/** `kept`: the whole answer was there; `hit`: nothing had to be requested; `none`: nothing ran, or it was a dry run. */
export function cacheOf({ by, operation, joined }: OperationEnd): Cache {
  if (by === 'kept answer') return joined > 0 ? 'miss' : 'kept';
  if (!operation || operation.estimate) return 'none';
  if (operation.stale > 0) return 'stale';
  return operation.requests > 0 || operation.coalesced > 0 ? 'miss' : 'hit';
}

function statusOf({ by, errors }: OperationEnd): Status {
  if (by === 'overload') return 'overload';
  if (by === 'refusal') return 'refused';
  return errors.length > 0 ? 'error' : 'ok';
}
