import { createBoundedMap } from '../bounded-map.ts';
import { asError, whenReady } from '../maybe.ts';
import { ABOUT } from '../shared/asked.ts';
import { noteJoined, noteNotJoined } from '../usage/operation.ts';
import { isRefused, isUsable, serve, serveHit, serveStale } from './cached.ts';
import { maxRecords } from './growth.ts';
import { createNameMemory, type Known, type KnownNames } from './known-names.ts';
import { asksFor, createNameLists, type NameList, namesIn } from './name-list.ts';
import type { FetchedNames, KeyedSet, KeyedSetOptions } from './keyed-set-options.ts';
import {
  addToWaiting,
  createInFlight,
  failedForOther,
  type InFlight,
  type InFlightRequests,
  lastAllowed,
} from './single-flight.ts';
import { type Asker, createShorterLists } from './shorter-lists.ts';
import { createSupply } from './supply.ts';

/** Plans and shares the requests of a keyed set; what it offers is described in keyed-set-options.ts. */

const MAX_KEYS = 1000;

export function createKeyedSet<K, R, Raw>(options: KeyedSetOptions<K, R, Raw>): KeyedSet<K, R> {
  const { monotonic, aging, ttl, emptyBytes, requests: described, sources } = options;
  const { keyOf } = described;
  const inFlight = createInFlight<NameList, KnownNames<R>>(monotonic, namesIn);
  const lists = createNameLists(options);
  const memory = createNameMemory(options);
  const line = sources.client.line(described.endpoint);
  const maxNamesFor = (needed: number) => maxRecords(line, needed, options.bytesPerRecord);
  /** Keys for which the answers of earlier processes have been read. */
  const lookedUp = createBoundedMap<string, true>(MAX_KEYS);
  const supply = createSupply<K, NameList, readonly string[], FetchedNames<R>, Raw, KnownNames<R>>(
    {
      ...described,
      onAnswer(answer, key, names, at) {
        // Not from answers that earlier processes have stored: the upstream may have lowered its limit since.
        if (aging.now() - at.aging < ttl) lists.noteAnswered(names, emptyBytes(key));
        described.onAnswer?.(answer, key, names, at);
      },
    },
    {
      ...options,
      about: ABOUT.names,
      narrowed: lists.withoutExtras,
      // The names that come last are remembered longest.
      askedBy: ({ names, extras }) => [...extras, ...names],
      file: (key, names, fetched, at) => memory.file(key, names, fetched, at.aging),
      missing(key, list, operation) {
        const names = [...list.names].filter((name) => !memory.fresh(key, name, operation));
        return names.length > 0 ? lists.only(new Set(names), emptyBytes(key)) : undefined;
      },
      // Another process may have brought less than this one waited for.
      held: (key, _list, operation) =>
        new Map([...memory.of(key)].filter(([name]) => memory.fresh(key, name, operation))),
    },
  );

  const bring = (asker: Asker<K>, list: NameList, wanted = () => list) =>
    supply.bring({ ...asker, wanted, old: memory.old(asker.key, list.names) });

  const fetchInstead = createShorterLists({ lists, memory, emptyBytes, bring });

  function start({ key, requests, operation }: Ask<K, R>, list: NameList): NameRequest<R> {
    const others = ({ names }: NameList) => {
      // An answer without any record is free: others that are found would have to be paid for.
      if (memory.areMissing(key, names)) return [];
      const likely = () => options.likelyNames?.(key, operation) ?? [];
      const all = options.extraNames?.(key) ?? memory.useful(key, likely(), operation);
      const underWay = requests.of(keyOf(key));
      return all.filter((name) => !underWay.some(({ wanted }) => asksFor(wanted, name)));
    };
    return requests.start(keyOf(key), list, async (dispatch, clients) => {
      const asked = () =>
        dispatch((one) => lists.fill(one, others(one), maxNamesFor(one.names.size)));
      // After this the list has the names of all who ask now, and `others` returns those that other processes have found.
      await supply.catchUpAll();
      const asker = { key, operation, clients };
      try {
        return await bring(asker, list, asked);
      } catch (error) {
        return fetchInstead(asker, asked(), error);
      }
    });
  }

  /** The request that brings the name: one in flight, one that takes more names, the last allowed one, or a new one. */
  function requestFor(name: string, ask: Ask<K, R>): NameRequest<R> {
    const started = ask.requests.of(keyOf(ask.key));
    return (
      started.find(({ wanted }) => asksFor(wanted, name)) ??
      addToWaiting(started, (wanted) => lists.add(wanted, name)) ??
      lastAllowed(started, ask.operation) ??
      start(ask, lists.begin(name, emptyBytes(ask.key)))
    );
  }

  /** After a refusal that may be about the names of other questions: asks once for the question's own names alone. */
  function startAlone(refused: NameRequest<R>, ask: Ask<K, R>): NameRequest<R> {
    const { names, extras } = refused.wanted;
    const own = names.union(extras).intersection(ask.names);
    const started = ask.alone.get(refused) ?? start(ask, lists.only(own, emptyBytes(ask.key)));
    ask.alone.set(refused, started);
    return started;
  }

  /** Waits for the request that brings the name. */
  async function waitFor(name: string, request: NameRequest<R>, ask: Ask<K, R>): Promise<Known<R>> {
    const { key, operation } = ask;
    const old = memory.of(key).get(name);
    const { wanted } = request;
    const asked = aging.now();
    try {
      const known = (await request.result).get(name);
      if (known && isUsable(known, asked, operation, aging)) return serve(known, operation);
    } catch (error) {
      const known = memory.fresh(key, name, operation);
      if (known) return serve(known, operation);
      const isOwn = wanted.names.has(name) && wanted.names.isSubsetOf(ask.names);
      if (!isRefused(error) || isOwn) {
        if (!failedForOther(request, operation, error, old !== undefined))
          return serveStale(old, error, operation);
      } else if (asksFor(wanted, name)) {
        noteNotJoined(operation, [request]);
        return waitFor(name, startAlone(request, ask), ask);
      }
    }
    // The request brought nothing about the name: it had the name only as an extra and left it out after a refusal, the
    // operation could start no further request, the request failed for another operation, or what it brought has expired
    // for this one.
    noteNotJoined(operation, [request]);
    return loadOne(name, ask);
  }

  async function loadOne(name: string, ask: Ask<K, R>): Promise<Known<R>> {
    const known = memory.fresh(ask.key, name, ask.operation);
    if (known) return serveHit(known, ask.operation);
    const request = requestFor(name, ask);
    noteJoined(ask.operation, [request]);
    return waitFor(name, request, ask);
  }

  return {
    keyOf,
    preload: supply.preload,
    catchUp: supply.catchUp,
    lastRecord(key, name) {
      const last = () => memory.of(key).get(name)?.value ?? null;
      if (last() !== null || lookedUp.has(keyOf(key))) return last();
      lookedUp.set(keyOf(key), true);
      return whenReady(supply.catchUp(key), last);
    },
    lastKnown: (key, name) => memory.of(key).get(name),
    isFresh: (key, name, operation) => memory.fresh(key, name, operation) !== undefined,
    read(key, name, operation) {
      const known = memory.fresh(key, name, operation);
      return known && serveHit(known, operation);
    },
    async load(key, names, operation) {
      const caught = supply.catchUp(key);
      if (caught instanceof Promise) await caught;
      const requests = inFlight(operation);
      const ask = { key, names: new Set(names), operation, requests, alone: new Map() };
      return Promise.all(names.map((name) => loadOne(name, ask).catch(asError)));
    },
  };
}

/** What one operation asks for under a key. */
interface Ask<K, R> extends Pick<Asker<K>, 'key' | 'operation'> {
  names: ReadonlySet<string>;
  requests: InFlightRequests<NameList, KnownNames<R>>;
  /** For each request that was refused, the one that asks for this operation's names alone. */
  alone: Map<NameRequest<R>, NameRequest<R>>;
}

type NameRequest<R> = InFlight<NameList, KnownNames<R>>;
