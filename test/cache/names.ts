import { createKeyedSet } from '../../src/cache/keyed-set.ts';
import { createStore } from '../../src/cache/store.ts';
import type { Shared } from '../../src/shared/shared.ts';
import type { Priority } from '../../src/spending/priority.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { upstreamOf } from './upstream.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';

/** A keyed set over an upstream in memory, for tests. */

export const TTL = 10;
export const MAX_NAMES = 4;
const LOW_PATIENCE = 8;
/** Length of a request without names, in bytes. */
export const EMPTY_BYTES = 100;

export const isPlain = (one: string) => !one.includes('/');

/** A keyed set over an upstream in memory, which knows lowercase names; `world` may be changed. */
export function open({
  maxNames = MAX_NAMES,
  maxBytes = 1e6,
  shared,
}: { maxNames?: number; maxBytes?: number; shared?: Shared } = {}) {
  const world = { now: 0, isDown: false, longest: Infinity, refused: '' };
  const asked: { key: string; names: readonly string[] }[] = [];
  const underWay = new Set<string>();
  const seen = { isClashing: false, most: 0 };
  const set = createKeyedSet({
    namespace: createStore(1e9).namespace(),
    monotonic: () => world.now,
    aging: {
      ...unstretched(() => world.now),
      patience: (one) => (one === 'LOW' ? LOW_PATIENCE : 1),
    },
    now: () => world.now,
    ttl: TTL,
    maxNames,
    maxBytes,
    emptyBytes: () => EMPTY_BYTES,
    bytesPerRecord: 100,
    bytesOf: (one) => one.length,
    mayShare: isPlain,
    ...upstreamOf(fetch, shared),
  });
  async function fetch(key: string, wanted: readonly string[]) {
    asked.push({ key, names: wanted });
    const ids = wanted.map((name) => `${key} ${name}`);
    seen.isClashing ||= ids.some((id) => underWay.has(id));
    ids.forEach((id) => underWay.add(id));
    seen.most = Math.max(seen.most, underWay.size);
    await new Promise(setImmediate);
    ids.forEach((id) => underWay.delete(id));
    if (world.isDown) throw new MarketError('UPSTREAM_UNAVAILABLE', { group: 'B' });
    const bytes = EMPTY_BYTES + wanted.join('').length;
    if (bytes > world.longest || wanted.some((one) => one.includes('/') || one === world.refused))
      throw new MarketError('BAD_USER_INPUT', { group: 'B' });
    return answerFor(wanted, world.now);
  }
  const begin = (priority: Priority = 'NORMAL') =>
    startOperation({
      maxRequests: 100,
      deadline: Infinity,
      spender: { priority, name: () => '' },
    });
  const ask = (key: string, names: readonly string[], operation = begin()) =>
    set.load(key, names, operation);
  return { world, asked, seen, set, ask, begin };
}

/** What the upstream answers at `now`. */
export function answerFor(wanted: readonly string[], now: number) {
  const known = wanted.filter((name) => /^[a-z]+$/.test(name));
  const value = new Map(known.map((name) => [name, { name, tick: now }]));
  return { value, origin: originAt(now), bytes: 100, warnings: [] };
}
