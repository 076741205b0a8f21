import { type Maybe, whenAll, whenReady } from '../maybe.ts';
import { ALONE, type Asked, type Flight, type StoredAnswer, type Taken } from '../shared/shared.ts';
import { type Lifetime, refreshed } from '../spending/lifetimes.ts';
import type { Target } from '../upstream/endpoint.ts';
import { exhausted, type MarketError, NotSent } from '../upstream/errors.ts';
import type { Operation } from '../usage/operation.ts';
import { isRefused } from './cached.ts';
import type { Filing } from './filing.ts';
import { type Moment, readFound, type Requests, type Sources, storedUnder } from './requests.ts';

/**
 * How a cache gets answers. Several processes may share what they know and what they are asking for
 * (src/shared): what another one has is taken, what another one is asking for is awaited, and only the
 * rest is asked of the upstream.
 */
export interface Supply<K, W, T> {
  /** Files what others have stored since this was done last; whether there was anything. */
  catchUp(key: K): Maybe<boolean>;
  /** The same for the keys under which anything was stored last. */
  catchUpAll(): Maybe<unknown>;
  /** The same for a key as it is stored; false where it is another dataset's. */
  preload(storedKey: string): Maybe<boolean>;
  /**
   * One request. `wanted` is called when it leaves, never at once, so that it may grow until then.
   * `old`: what is there of it already. Rejects with a MarketError.
   */
  bring(key: K, wanted: () => W, operation: Operation, old: Lifetime | undefined): Promise<T>;
}

/** A request that leaves: what it asks, and whom to tell how it ends. */
interface Departure<P> {
  asked: P;
  /** It asks for what others wait for, too. */
  isGrown: boolean;
  flight: Flight;
}

/** Who asks, and what there is already. */
interface Asker {
  operation: Operation;
  old: Lifetime | undefined;
  /** Whether what others wait for may be asked for, too. */
  mayGrow: boolean;
}

/** Keys of which it is looked at once what others have stored. */
const MOST_KEYS = 20;

export function createSupply<K, W, P extends Asked, A, Raw, T>(
  requests: Requests<K, P, A, Raw>,
  sources: Sources,
  filing: Filing<K, W, P, A, T>,
): Supply<K, W, T> {
  const { keyOf } = requests;
  const { client, shared, keepMs, leaseMs } = sources;
  const { namespace, monotonic, aging, now, askedBy, missing, held } = filing;
  const { narrowed = (wanted) => wanted } = filing;
  const catchingUp = new Map<string, Promise<boolean>>();

  function file(key: K, asked: P, answer: A, at: Moment): T {
    requests.alsoTells?.(answer, key, asked, at);
    return filing.file(key, asked, answer, at);
  }

  async function fileStored(key: K, stored: Maybe<readonly StoredAnswer[]>): Promise<boolean> {
    const all = await stored;
    const about = { ...requests, about: filing.about };
    for (const found of await readFound(all, key, about, { client, aging }))
      file(key, found.asked, found.answer, found.at);
    const last = all.at(-1);
    if (last) namespace.setMark(keyOf(key), last.number);
    return last !== undefined;
  }

  function catchUp(key: K): Maybe<boolean> {
    if (!shared) return false;
    const id = keyOf(key);
    const underWay = catchingUp.get(id);
    if (underWay) return underWay;
    const stored = shared.read(storedUnder(requests, key), namespace.mark(id));
    if (!(stored instanceof Promise) && stored.length === 0) return false;
    const filed = fileStored(key, stored).finally(() => catchingUp.delete(id));
    catchingUp.set(id, filed);
    return filed;
  }

  /** The same with what is stored by now: what is being read was asked for before. */
  async function catchUpAnew(key: K): Promise<boolean> {
    const before = (await catchingUp.get(keyOf(key))) ?? false;
    return (await catchUp(key)) || before;
  }

  function preload(storedKey: string): Maybe<boolean> {
    const prefix = `${requests.name} `;
    if (!storedKey.startsWith(prefix)) return false;
    const key = requests.keyIn(storedKey.slice(prefix.length));
    // Whatever cannot be read back is not this version's.
    if (key === undefined || storedUnder(requests, key) !== storedKey) return false;
    return catchUp(key);
  }

  function catchUpAll(): Maybe<unknown> {
    if (!shared) return undefined;
    return whenReady(shared.recent(`${requests.name} `, MOST_KEYS), (keys) =>
      whenAll(keys.map(preload)),
    );
  }

  /** What is still to be asked for, once nobody else may ask for it. */
  async function departWith(
    key: K,
    wanted: W,
    flight: Flight,
    { operation, mayGrow }: Asker,
  ): Promise<Departure<P> | undefined> {
    const grown = mayGrow && flight.asked ? filing.withOthers?.(wanted, flight.asked) : undefined;
    // Another process may have ended its own flight just before.
    const hasMore = await catchUpAnew(key);
    const rest = grown || hasMore ? missing(key, grown ?? wanted, operation) : wanted;
    if (rest !== undefined) return { asked: askedBy(rest), isGrown: grown !== undefined, flight };
    flight.release();
    return undefined;
  }

  const claim = (key: K, asked: P): Maybe<Flight | Taken> =>
    shared ? shared.claim(storedUnder(requests, key), asked, leaseMs) : ALONE;

  async function bring(key: K, wanted: () => W, asker: Asker): Promise<T> {
    const { operation, old } = asker;
    // While units are short, old data are served instead of refreshed, so that those who have none get theirs.
    if (old && !aging.mayRefresh()) throw exhausted(requests.endpoint.meter);
    const { priority } = operation.spender;
    const before = old && refreshed(old, priority, aging);
    // Set by `leave`: what has left, which other process asks for it instead, or why it is not repeated.
    let departure: Departure<P> | undefined;
    let other: Taken | undefined;
    let givenUp: MarketError | undefined;
    const leave = (timedOut?: MarketError): Maybe<Target | undefined> => {
      // A request that is repeated leaves once more.
      departure?.flight.release();
      if (timedOut && requests.asksOnce?.(key)) return void (givenUp = timedOut);
      const leaves = timedOut ? narrowed(wanted(), key) : wanted();
      const leaving = timedOut ? { ...asker, mayGrow: false } : asker;
      return whenReady(claim(key, askedBy(leaves)), (claimed) => {
        if (!claimed.isOurs) return void (other = claimed);
        return whenReady(departWith(key, leaves, claimed, leaving), (left) => {
          departure = left;
          return left && requests.target(key, left.asked);
        });
      });
    };
    try {
      const received = await client.fetch(requests.endpoint, leave, operation);
      if (givenUp) throw givenUp;
      if (!received || !departure) return await bringRest(key, wanted, other, asker);
      const { asked, flight } = departure;
      const { answer, text, units } = received;
      if (units > 0)
        aging.noteRequest({ key: storedUnder(requests, key), units, priority, old: before });
      const { retrievedAt } = answer.origin;
      const at = { now: now(), aging: aging.now() };
      const taken = requests.read(answer, key);
      const also = requests.alsoAbout?.(taken, key, at);
      const landed = flight.land({ asked, ...text, retrievedAt }, keepMs, also);
      if (landed instanceof Promise) await landed;
      return file(key, asked, taken, at);
    } catch (error) {
      departure?.flight.release();
      // What others want may be what the upstream refuses.
      if (departure?.isGrown && isRefused(error))
        return bring(key, wanted, { ...asker, mayGrow: false });
      throw error;
    }
  }

  /** After another process has fetched what was wanted, or a part of it, or has failed. */
  async function bringRest(
    key: K,
    wanted: () => W,
    other: Taken | undefined,
    { operation, old }: Asker,
  ): Promise<T> {
    await other?.over;
    await catchUpAnew(key);
    const rest = missing(key, wanted(), operation);
    if (rest === undefined) {
      operation.coalesced += 1;
      return held(key, wanted(), operation);
    }
    if (monotonic() >= operation.deadline) throw new NotSent('RATE_LIMITED');
    return bring(key, () => rest, { operation, old, mayGrow: true });
  }

  return {
    catchUp,
    catchUpAll,
    preload,
    bring: (key, wanted, operation, old) => bring(key, wanted, { operation, old, mayGrow: true }),
  };
}
