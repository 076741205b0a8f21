import type { Resources } from '../graph/resources.ts';
import { isBusy, turnOf } from '../graph/time-slices.ts';
import type { Maybe } from '../maybe.ts';
import { createOpenCounts } from '../open-counts.ts';
import type { Clock } from '../time.ts';

/**
 * Places for operations under way. An operation holds a place from its admission until it is answered, whether
 * it is executed, waits for its turn or waits for the upstream. If no place is free, it is refused before
 * anything is spent. Kept answers need no place.
 */
export interface Places {
  /**
   * Calls `operation` now, or in the party's turn if the process is busy. Calls `refuse` instead if there is no
   * place, or if others of its party wait for so long that its turn would come too late.
   */
  enter<T>(resources: Resources, operation: () => Maybe<T>, refuse: () => T): Maybe<T>;
  /**
   * Counts one more operation of the party that waits for the answer to an identical one. Such operations cost only
   * memory, so they leave the places to others; but not any number may wait, and parties share what may in the same way.
   * Returns what to call when it no longer waits; undefined if too many do.
   */
  beginJoined(party: string): (() => void) | undefined;
  /** How many operations hold a place. */
  underWay(): number;
  /** How many of them wait for their turn to begin. */
  waiting(): number;
}

/** Operations that would wait longer than this are refused: their turn would come too late to be useful. */
const MAX_WAIT_MS = 1000;
/** Longest burst that is served however long its operations wait: only load that lasts longer is overload. */
const MAX_BURST_MS = 500;
/**
 * A party with fewer waiting operations than this is never refused for a long wait: if so few wait long, the machine is
 * slow, not overloaded.
 */
const MIN_WAITING_TO_REFUSE = 100;

/** Maximum parties that are remembered although no operation of theirs is under way. */
const MAX_IDLE_PARTIES = 1000;

interface Party {
  taken: number;
  waiting: number;
  /** How many of its operations have begun after waiting since `since`: this tells how long the next one will wait. */
  begun: number;
  since: number;
}

/** How many may wait for the answer to an identical operation, by place: all phones of a crowd, each by its connection. */
const JOINED_PER_PLACE = 8;

export function createPlaces(max: number, monotonic: Clock): Places {
  let parties = new Map<string, Party>();
  const joined = createOpenCounts();
  let underWay = 0;
  let waiting = 0;

  function partyOf(name: string): Party {
    const known = parties.get(name);
    if (known) return known;
    if (parties.size > MAX_IDLE_PARTIES + underWay)
      parties = new Map([...parties].filter(([, { taken }]) => taken > 0));
    const party = { taken: 0, waiting: 0, begun: 0, since: 0 };
    parties.set(name, party);
    return party;
  }

  /** A party may hold as many places as it leaves free, so that the next party always finds one. */
  const hasPlace = ({ taken }: Party) => taken < max - underWay;

  function wouldWaitTooLong({ waiting: before, begun, since }: Party): boolean {
    if (before < MIN_WAITING_TO_REFUSE) return false;
    const ms = monotonic() - since;
    return ms > MAX_BURST_MS && before * (ms / begun) > MAX_WAIT_MS;
  }

  function join(party: Party): void {
    if (party.waiting === 0) {
      party.begun = 0;
      party.since = monotonic();
    }
    party.waiting += 1;
    waiting += 1;
  }

  function begin(party: Party): void {
    party.waiting -= 1;
    waiting -= 1;
    party.begun += 1;
    const ms = monotonic() - party.since;
    if (ms <= MAX_BURST_MS * 2) return;
    // Older samples count less.
    party.since += ms / 2;
    party.begun /= 2;
  }

  /** Operations that arrive while others wait have to wait, too: otherwise the last to arrive would be served first. */
  function inTurn<T>(resources: Resources, party: Party, operation: () => Maybe<T>): Maybe<T> {
    if (!resources.turns?.hasWaiting && !isBusy(resources)) return operation();
    join(party);
    return turnOf(resources).then(() => {
      begin(party);
      return operation();
    });
  }

  return {
    enter(resources, operation, refuse) {
      const party = partyOf(resources.party);
      if (!hasPlace(party) || wouldWaitTooLong(party)) return refuse();
      party.taken += 1;
      underWay += 1;
      const end = () => {
        underWay -= 1;
        party.taken -= 1;
      };
      try {
        const reply = inTurn(resources, party, operation);
        if (reply instanceof Promise) reply.then(end, end);
        else end();
        return reply;
      } catch (error) {
        end();
        throw error;
      }
    },
    beginJoined: (party) =>
      joined.of(party) < max * JOINED_PER_PLACE - joined.total() ? joined.begin(party) : undefined,
    underWay: () => underWay,
    waiting: () => waiting,
  };
}
