import { type Maybe, whenReady } from '../maybe.ts';
import { UNSHARED_FLIGHT, type Asked, type Flight, type Taken } from '../shared/shared.ts';
import { type Lifetime, type Refreshed, refreshed } from '../spending/lifetimes.ts';
import type { Priority } from '../spending/priority.ts';
import type { Received, Target } from '../upstream/endpoint.ts';
import type { MarketError } from '../upstream/errors.ts';
import { noTurn, refreshRefused } from '../upstream/not-sent.ts';
import type { Operation } from '../usage/operation.ts';
import { isRefused, NotFoundInMore } from './cached.ts';
import { type CatchUp, createCatchUp } from './catch-up.ts';
import type { Filing } from './filing.ts';
import { isLateAgain, lastLate, type LateRequest, noteAsked } from './late-requests.ts';
import { type Requests, storedKeyOf } from './requests.ts';

/**
 * How a cache gets answers. Several processes may share what they know and what they are asking for (src/shared): what
 * another one has is taken over, what it is asking for is awaited, and only the rest is asked of the upstream.
 */
interface Supply<K, W, T> extends Pick<CatchUp<K>, 'catchUp' | 'catchUpAll' | 'preload'> {
  /** Makes one request. Rejects with a MarketError. */
  bring(wish: Wish<K, W>): Promise<T>;
}

/** What is asked for, by whom, and what is cached of it. */
export interface Wish<K, W> {
  key: K;
  /** Called when the request leaves (LazyTarget). */
  wanted: () => W;
  operation: Operation;
  /** The clients that wait for it: they may become more until it leaves. */
  clients: ReadonlySet<string>;
  /** The lifetime of what is cached of it. */
  old: Lifetime | undefined;
}

interface Ask<K, W> extends Wish<K, W> {
  /** Whether what other processes wait for may be asked for, too. */
  mayGrow: boolean;
  /** Whether it has waited for another request, and no longer waits for another dataset (`Requests.elsewhere`). */
  hasWaited?: boolean;
}

/** A request that has left for the upstream, and whether it also asks for what other processes wait for. */
interface Sent<P> {
  asked: P;
  isGrown: boolean;
  flight: Flight;
}

/** What became of the attempts to send a request. If nothing is set, all of it was cached by then. */
interface Attempts<P> {
  sent?: Sent<P> | undefined;
  /** Set if another process is asking for it. */
  taken?: Taken;
  /** The last attempt that timed out. */
  late?: LateRequest | undefined;
  /** Set if that is not repeated: `noRetry`, or it would be late again. */
  givenUp?: MarketError;
}

export function createSupply<K, W, P extends Asked, A, Raw, T>(
  requests: Requests<K, P, A, Raw>,
  filing: Filing<K, W, P, A, T>,
): Supply<K, W, T> {
  const { client, shared, keepMs, leaseMs } = filing.sources;
  const { monotonic, aging, now, askedBy, missing, held, narrowed = (wanted) => wanted } = filing;
  const isFresh =
    filing.isFresh ??
    ((key: K, wanted: W, operation: Operation) => missing(key, wanted, operation) === undefined);
  const file: typeof filing.file = (key, asked, answer, at) => {
    requests.onAnswer?.(answer, key, asked, at);
    return filing.file(key, asked, answer, at);
  };
  const others = createCatchUp(requests, { ...filing, file });

  function claim({ key, operation, hasWaited }: Ask<K, W>, asked: P): Maybe<Flight | Taken> {
    if (!shared) return UNSHARED_FLIGHT;
    const alike = requests.instead?.(key).map((other) => storedKeyOf(requests, other)) ?? [];
    const elsewhere = (!hasWaited && requests.elsewhere?.(key, operation)) || [];
    return shared.claim(storedKeyOf(requests, key), asked, leaseMs, [...alike, ...elsewhere]);
  }

  /** Returns what is still to be asked for, once no other process may ask for it. */
  async function toSend(
    { key, operation, mayGrow }: Ask<K, W>,
    wanted: W,
    flight: Flight,
  ): Promise<Sent<P> | undefined> {
    const grown = mayGrow && flight.asked ? filing.withOthers?.(wanted, flight.asked) : undefined;
    // Another process may have ended its own flight just before, and another operation
    // may already have read its answer.
    const hasMore = await others.catchUpAgain(key);
    const mayBeLess = grown || hasMore || isFresh(key, wanted, operation);
    const rest = mayBeLess ? missing(key, grown ?? wanted, operation) : wanted;
    if (rest !== undefined) return { asked: askedBy(rest), isGrown: grown !== undefined, flight };
    void flight.release();
    return undefined;
  }

  /** Claims what is wanted and says what to ask of the upstream, if anything. */
  function prepare(
    ask: Ask<K, W>,
    attempts: Attempts<P>,
    timedOut: MarketError | undefined,
  ): Maybe<Target | undefined> {
    const { key } = ask;
    attempts.late = lastLate(attempts.late, timedOut, attempts.sent?.asked);
    // A repeated request leaves again: it needs a new claim, in whose way the old one must not be.
    const released = attempts.sent?.flight.release();
    attempts.sent = undefined;
    const wanted = timedOut ? narrowed(ask.wanted(), key) : ask.wanted();
    if (timedOut && (requests.noRetry?.(key) || isLateAgain(askedBy(wanted), attempts.late)))
      return void (attempts.givenUp = timedOut);
    const asker = timedOut ? { ...ask, mayGrow: false } : ask;
    const claiming = whenReady(released, () => claim(ask, askedBy(wanted)));
    return whenReady(claiming, (claimed) => {
      if (!claimed.isOurs) return void (attempts.taken = claimed);
      return toSend(asker, wanted, claimed).then(
        (sent) => {
          attempts.sent = sent;
          return sent && requests.target(key, sent.asked);
        },
        (error: unknown) => {
          void claimed.release();
          throw error;
        },
      );
    });
  }

  /** Handles an answer: hands it to other processes, and caches it. */
  async function land(
    { key, wanted }: Ask<K, W>,
    { asked, flight }: Sent<P>,
    { answer, text }: Received<Raw>,
  ): Promise<T> {
    const { retrievedAt } = answer.origin;
    const at = { now: now(), aging: aging.now() };
    const parsed = requests.read(answer, key);
    if (filing.isRejected?.(parsed, asked, wanted())) throw new NotFoundInMore();
    const also = requests.alsoAnswers?.(parsed, key, at);
    const isEmpty = filing.isEmpty?.(parsed) || undefined;
    const landed = flight.land({ asked, ...text, retrievedAt, isEmpty }, keepMs, also);
    if (landed instanceof Promise) await landed;
    return file(key, asked, parsed, at);
  }

  const notePaid = (key: K, units: number, priority: Priority, old: Refreshed) => {
    if (units > 0) aging.noteRequest({ key: storedKeyOf(requests, key), units, priority, ...old });
  };

  async function bring(ask: Ask<K, W>): Promise<T> {
    const { key, operation } = ask;
    const { priority } = operation.spender;
    // While units are short, old data is served instead of being refreshed: questions without any data get theirs.
    if (ask.old && !aging.mayRefresh()) throw refreshRefused(requests.endpoint.meter);
    const before = refreshed(ask.old, priority, aging);
    const attempts: Attempts<P> = {};
    try {
      const received = await client.fetch(
        requests.endpoint,
        (timedOut) => prepare(ask, attempts, timedOut),
        operation,
        ask.clients,
      );
      if (attempts.givenUp) throw attempts.givenUp;
      if (!received || !attempts.sent) return await bringRest(ask, attempts.taken);
      notePaid(key, received.units, priority, before);
      return await land(ask, attempts.sent, received);
    } catch (error) {
      if (attempts.sent) noteAsked(error, attempts.sent.asked);
      const released = attempts.sent?.flight.release();
      if (!attempts.sent?.isGrown || !isRefused(error)) throw error;
      // The upstream may have refused what other processes want.
      await released;
      return bring({ ...ask, mayGrow: false });
    }
  }

  /** Brings the rest after another process has fetched what was wanted, or a part of it, or has failed. */
  async function bringRest(ask: Ask<K, W>, taken: Taken | undefined): Promise<T> {
    const { key, wanted, operation } = ask;
    await taken?.over;
    await others.catchUpAgain(key);
    const found = await requests.fromElsewhere?.(key, askedBy(wanted()), operation);
    if (found) filing.file(key, found.asked, found.answer, found.at);
    const rest = missing(key, wanted(), operation);
    if (rest === undefined) {
      operation.coalesced += 1;
      return held(key, wanted(), operation);
    }
    if (monotonic() >= operation.deadline) throw noTurn(requests.endpoint.group);
    return bring({ ...ask, wanted: () => rest, mayGrow: true, hasWaited: true });
  }

  return {
    ...others,
    bring: (wish) => bring({ ...wish, mayGrow: true }),
  };
}
