import { createDraw } from '../bench/economy-random.ts';
import { createGovernor } from '../../src/spending/governor.ts';
import type { PaidRequest } from '../../src/spending/lifetimes.ts';
import type { SpendingHistory } from '../../src/spending/rows.ts';
import { createMemoryHistory } from './memory-history.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Monday, and the first of a month of 30 days. */
export const START = Date.UTC(2026, 5, 1);

const KEYS = 5;
const STEP = 2 * MINUTE;
/** Chance of a query for each key in each step: one in ten minutes. */
const CHANCE = 0.2;
/** Units for all keys in a month of 30 days if nothing is stretched: every query finds an expired value. */
export const FREE_COST = KEYS * CHANCE * ((30 * DAY) / STEP);

/** Balances are stated, and no configured limit is below them. */
export const ACCOUNT = { spare: 0, isStated: true };

export interface Settings {
  limit: number | null;
  start?: number;
  history?: SpendingHistory;
  spending?: 'even' | 'free';
}

/** A governor whose clocks and account the test controls, and a cache of keys that are queried evenly. */
export function open({ limit, start = START, spending = 'even', ...rest }: Settings) {
  const history = rest.history ?? createMemoryHistory();
  /** `ahead`: how far the wall clock is ahead of the time that has passed. */
  const world = { now: start, ahead: 0, limit, used: 0, elsewhere: 0 };
  const left = (): number | null =>
    world.limit === null ? null : Math.max(0, world.limit - world.used - world.elsewhere);
  const governor = createGovernor({
    meter: 'credits',
    spending,
    timezone: 'UTC',
    history,
    now: () => world.now + world.ahead,
    monotonic: () => world.now - start,
    allowance: () => ({ ...ACCOUNT, used: world.used, left: left(), elsewhere: world.elsewhere }),
  });
  const draw = createDraw(1);
  const cache = new Map<string, number>();

  function pay(key: string, staleMs: number | undefined, { lifetimeMs, priority }: Asked): void {
    world.used += 1;
    cache.set(key, governor.now());
    const waitedMs = staleMs === undefined ? undefined : staleMs * governor.stretch();
    governor.noteRequest({ key, lifetimeMs, waitedMs, units: 1, priority });
  }

  /** Sends a query; returns whether it was paid for. */
  function ask(key: string, asked: Partial<Asked> = {}): boolean {
    const { lifetimeMs = 30_000, priority = 'NORMAL' } = asked;
    const at = cache.get(key);
    const lifetime = lifetimeMs * governor.patience(priority);
    const staleMs = at === undefined ? undefined : governor.now() - at - lifetime;
    if (staleMs !== undefined && staleMs < 0) return false;
    if (left() === 0 || (staleMs !== undefined && !governor.mayRefresh())) return false;
    pay(key, staleMs, { lifetimeMs, priority });
    return true;
  }

  /** Queries each of the keys every ten minutes on average, for some hours. */
  function pass(hours: number, each?: () => void, keys = KEYS): void {
    const end = world.now + hours * HOUR;
    for (; world.now < end; world.now += STEP) {
      for (let key = 0; key < keys; key += 1) if (draw.chance(CHANCE)) ask(`key ${key}`);
      each?.();
    }
  }
  return { governor, world, history, ask, pass, draw };
}

type Asked = Pick<PaidRequest, 'lifetimeMs' | 'priority'>;
