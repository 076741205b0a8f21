import { type Maybe, whenAll, whenReady } from '../maybe.ts';
import type { Asked, StoredAnswer } from '../shared/shared.ts';
import type { Filing } from './filing.ts';
import { type Requests, storedKeyOf, suitableKeys } from './requests.ts';

/** How a cache takes over what other processes have stored (src/shared). */
export interface CatchUp<K> {
  /** Files what others have stored since the last call; returns whether there was anything. */
  catchUp(key: K): Maybe<boolean>;
  /** The same for the keys under which answers were stored most recently. */
  catchUpAll(): Maybe<unknown>;
  /** The same for a key in its stored form; ignores keys of other datasets. */
  preload(storedKey: string): Maybe<unknown>;
  /**
   * As `catchUp`, but reads again after a read that is under way: an answer may have been stored since that began. Also
   * reads the other keys whose answers do as well (`Requests.instead`).
   */
  catchUpAgain(key: K): Promise<boolean>;
}

/** Maximum number of keys that `catchUpAll` reads. */
const MAX_KEYS = 20;
/**
 * By how much the clocks of processes may seem to differ, in milliseconds, before an answer is dated by its age: an age
 * lacks the time that storing the answer took.
 */
const MAX_CLOCK_DIFFERENCE_MS = 5000;

export function createCatchUp<K, W, P extends Asked, A, Raw, T>(
  requests: Requests<K, P, A, Raw>,
  filing: Filing<K, W, P, A, T>,
): CatchUp<K> {
  const { keyOf } = requests;
  const { namespace, aging, now } = filing;
  const { client, shared } = filing.sources;
  const underWay = new Map<string, Promise<boolean>>();

  /**
   * When a stored answer came from the upstream, by this process's clock. It was noted by the clock of the process that
   * received it, perhaps on another machine.
   */
  function retrievedAtOf({ retrievedAt, age }: StoredAnswer): number {
    const byAge = now() - age;
    const isOther = Math.abs(byAge - retrievedAt) > MAX_CLOCK_DIFFERENCE_MS;
    // The age is infinite if the store's clock was set back since.
    return isOther && Number.isFinite(age) ? byAge : retrievedAt;
  }

  /** Reads a stored answer; null if it cannot be read. `came`: when it came from the upstream, by the clock of `aging`. */
  async function read(key: K, stored: StoredAnswer, came: number, retrievedAt: number) {
    const about = filing.about.safeParse(stored.asked);
    const answer = await client.read(requests.endpoint, stored, retrievedAt);
    if (!answer || !about.success) return null;
    const at = { now: retrievedAt, aging: came };
    return { asked: about.data, answer: requests.read(answer, key), at };
  }

  async function fileStored(key: K, stored: Maybe<readonly StoredAnswer[]>): Promise<boolean> {
    const all = await stored;
    // Dated before any is read: that takes a while, and would make them seem younger.
    const dated = all.map((one) => ({ one, came: aging.since(one.age), at: retrievedAtOf(one) }));
    const found = [];
    for (const { one, came, at } of dated) found.push(await read(key, one, came, at));
    for (const one of found) if (one) filing.file(key, one.asked, one.answer, one.at);
    const last = all.at(-1);
    if (last) namespace.setMark(keyOf(key), last.number);
    return last !== undefined;
  }

  function catchUp(key: K): Maybe<boolean> {
    if (!shared) return false;
    const id = keyOf(key);
    const before = underWay.get(id);
    if (before) return before;
    const stored = shared.read(storedKeyOf(requests, key), namespace.mark(id));
    if (!(stored instanceof Promise) && stored.length === 0) return false;
    const filed = fileStored(key, stored).finally(() => underWay.delete(id));
    underWay.set(id, filed);
    return filed;
  }

  function preload(storedKey: string): Maybe<unknown> {
    const prefix = `${requests.name} `;
    if (!storedKey.startsWith(prefix)) return undefined;
    const key = requests.parseKey(storedKey.slice(prefix.length));
    // A key that cannot be read back is from another version.
    if (key === undefined || storedKeyOf(requests, key) !== storedKey) return undefined;
    return catchUp(key);
  }

  async function catchUpOneAgain(key: K): Promise<boolean> {
    const before = (await underWay.get(keyOf(key))) ?? false;
    return (await catchUp(key)) || before;
  }

  return {
    catchUp,
    catchUpAll: () =>
      shared &&
      whenReady(shared.recent(`${requests.name} `, MAX_KEYS), (keys) => whenAll(keys.map(preload))),
    preload,
    async catchUpAgain(key) {
      const all = await Promise.all(suitableKeys(requests, key).map(catchUpOneAgain));
      return all.includes(true);
    },
  };
}
