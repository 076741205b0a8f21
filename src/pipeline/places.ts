import type { Resources } from '../graph/resources.ts';
import { isBusy, turnOf } from '../graph/time-slices.ts';
import type { Maybe } from '../maybe.ts';
import type { Clock } from '../time.ts';

/**
 * Places of operations that are under way, from the moment that they are let in until they are answered,
 * be it that they are executed, wait for their turn or wait for the upstream. Where there is none they are
 * refused, before anything is spent. Kept answers need none.
 */
export interface Places {
  /**
   * Calls `operation` now, or in the party's turn where the process is busy; calls `refuse` instead where
   * there is no place, or others of its party wait for so long that its turn would come too late.
   */
  enter<T>(resources: Resources, operation: () => Maybe<T>, refuse: () => T): Maybe<T>;
  underWay(): number;
  /** How many of them wait for their turn to begin. */
  waiting(): number;
}

/** Who would have to wait longer is refused: its turn would come too late to be of use. */
const MAX_WAIT_MS = 1000;
/** A burst is served however long it takes: only load that lasts longer than this is overload. */
const BURST_MS = 500;
/** So few are never refused: where even they wait long, the machine is slow and the load is not too high. */
const FEW = 100;

/** Parties that are remembered while nothing of theirs is under way. */
const MAX_IDLE = 1000;

interface Party {
  taken: number;
  waiting: number;
  /** How many of its operations have begun since then, which tells how long the next one will wait. */
  begun: number;
  since: number;
}

export function createPlaces(max: number, monotonic: Clock): Places {
  let parties = new Map<string, Party>();
  let underWay = 0;
  let waiting = 0;

  function partyOf(name: string): Party {
    const known = parties.get(name);
    if (known) return known;
    if (parties.size > MAX_IDLE + underWay)
      parties = new Map([...parties].filter(([, { taken }]) => taken > 0));
    const party = { taken: 0, waiting: 0, begun: 0, since: 0 };
    parties.set(name, party);
    return party;
  }

  /** A party may take as many as it leaves: however many there are, the next one finds a place. */
  const hasPlace = ({ taken }: Party) => taken < max - underWay;

  function wouldWaitTooLong({ waiting: before, begun, since }: Party): boolean {
    if (before < FEW) return false;
    const ms = monotonic() - since;
    return ms > BURST_MS && before * (ms / begun) > MAX_WAIT_MS;
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
    if (ms <= BURST_MS * 2) return;
    // What was longer ago counts less.
    party.since += ms / 2;
    party.begun /= 2;
  }

  /** Whoever comes while others wait waits, too, or those that come last would be served first. */
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
    underWay: () => underWay,
    waiting: () => waiting,
  };
}
