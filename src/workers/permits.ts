import type { Permit, Permits } from '../shared/permits.ts';
import type { Clock } from '../time.ts';
import { LATE_MS, type Pace } from '../upstream/pace.ts';
import type { Link } from './link.ts';

/** One pace for all workers: the process that leads them gives the permits. */

/** What it answers: times are told as waits, since each process has a clock of its own. */
interface Given {
  permits: readonly { id: string; earlier: number }[];
  waitMs: number;
  limit: number;
}

interface Refused {
  id: string;
  waitMs: number;
}

/** Permits that are remembered, since they may still be given back or refused: far more than are given while a request lasts. */
const MOST_PERMITS = 10_000;
/** The leading process is told `sent` only of requests that left later than this after their permit: most leave at once. */
const AT_ONCE_MS = 5;

/** Gives permits of `pace` to workers. */
export function createPermitsDesk(pace: Pace, monotonic: Clock) {
  const links = new Set<Link>();
  const given = new Map<string, Permit>();
  let count = 0;

  function noteGiven(permit: Permit): { id: string; earlier: number } {
    const id = String((count += 1));
    given.set(id, permit);
    if (given.size > MOST_PERMITS) given.delete(given.keys().next().value ?? '');
    return { id, earlier: permit.earlier };
  }

  async function take(wanted: number): Promise<Given> {
    const { permits, nextAt } = await pace.take(wanted);
    const waitMs = Math.max(0, nextAt - monotonic());
    return { permits: permits.map(noteGiven), waitMs, limit: pace.limit() };
  }

  function withPermit(id: string, use: (permit: Permit) => void): void {
    const permit = given.get(id);
    if (permit) use(permit);
  }

  const tellRoom = () => {
    for (const link of links) link.tell('room');
  };

  return {
    add(link: Link): void {
      links.add(link);
      link.on('take permits', (wanted) => take(wanted as number));
      link.on('give back', (id) => {
        withPermit(id as string, pace.giveBack);
        tellRoom();
      });
      link.on('sent', (id) => withPermit(id as string, pace.noteSent));
      link.on('refused', (refusal) => {
        const { id, waitMs } = refusal as Refused;
        withPermit(id, (permit) => pace.noteRefused(permit, waitMs));
        tellRoom();
      });
    },
    remove: (link: Link) => void links.delete(link),
  };
}

/** The other end, in a worker. */
export function permitsOver(link: Link, monotonic: Clock): Permits {
  let limit = Infinity;

  return {
    async take(wanted) {
      // They were given later than this: the answer may have waited while this process was busy.
      const askedAt = monotonic();
      const asked = link.ask('take permits', wanted) as Promise<Given>;
      // The process that leads has gone, and this one follows.
      const answer = await asked.catch(() => undefined);
      if (!answer) return undefined;
      limit = answer.limit;
      const permits = answer.permits.map((permit) => ({ ...permit, at: askedAt }));
      return { permits, nextAt: monotonic() + answer.waitMs };
    },
    leave: () => undefined,
    giveBack: ({ id }) => link.tell('give back', id),
    noteSent({ id, at }) {
      if (monotonic() - at > AT_ONCE_MS) link.tell('sent', id);
    },
    noteAnswered: () => undefined,
    noteRefused: ({ id }, waitMs) => link.tell('refused', { id, waitMs }),
    isLate: ({ at }) => limit !== Infinity && monotonic() - at > LATE_MS,
    limit: () => limit,
    onRoom: (listener) => link.on('room', listener),
    close: () => undefined,
  };
}
