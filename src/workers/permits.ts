import type { Permit, Permits } from '../shared/permits.ts';
import type { Clock } from '../time.ts';
import { PERMIT_VALID_MS, type Pace } from '../upstream/pace.ts';
import type { Link } from './link.ts';

/** One pace for all workers: the primary process gives the permits. */

/** The primary's answer. Times are given as waits, since each process has its own clock. */
interface Grant {
  permits: readonly { id: string; earlier: number }[];
  waitMs: number;
  limit: number;
}

interface Refusal {
  id: string;
  waitMs: number;
}

/** How many permits are remembered, as they may be given back or refused: far more than are given during a request. */
const MAX_PERMITS = 10_000;
/** The primary is told only of requests that were sent later than this after their permit: most are sent at once. */
const PROMPT_MS = 5;

/** Returns a function that gives permits of `pace` to a worker. `links`: those to all workers that run. */
export function createPermitIssuer(pace: Pace, monotonic: Clock, links: Iterable<Link>) {
  const issued = new Map<string, Permit>();
  let count = 0;

  function issue(permit: Permit): { id: string; earlier: number } {
    const id = String((count += 1));
    issued.set(id, permit);
    if (issued.size > MAX_PERMITS) issued.delete(issued.keys().next().value ?? '');
    return { id, earlier: permit.earlier };
  }

  async function take(wanted: number): Promise<Grant> {
    const { permits, nextAt } = await pace.take(wanted);
    const waitMs = Math.max(0, nextAt - monotonic());
    return { permits: permits.map(issue), waitMs, limit: pace.limit() };
  }

  function withPermit(id: string, use: (permit: Permit) => void): void {
    const permit = issued.get(id);
    if (permit) use(permit);
  }

  const announceRoom = () => {
    for (const link of links) link.notify('room');
  };

  return (link: Link): void => {
    link.on('take permits', (wanted) => take(wanted as number));
    link.on('give back', (id) => {
      withPermit(id as string, pace.giveBack);
      announceRoom();
    });
    link.on('sent', (id) => withPermit(id as string, pace.noteSent));
    link.on('refused', (refusal) => {
      const { id, waitMs } = refusal as Refusal;
      withPermit(id, (permit) => pace.noteRefused(permit, waitMs));
      announceRoom();
    });
  };
}

/** The permits in a worker: takes them from the primary process over `link`. */
export function permitsOver(link: Link, monotonic: Clock): Permits {
  let limit = Infinity;

  return {
    async take(wanted) {
      // Counts as the time of the permits. They are given later than this, but exactly when is unknown: the answer may
      // have waited while this process was busy.
      const askedAt = monotonic();
      const asked = link.ask('take permits', wanted) as Promise<Grant>;
      // Undefined: the primary process has ended, and this one is about to.
      const answer = await asked.catch(() => undefined);
      if (!answer) return undefined;
      limit = answer.limit;
      const permits = answer.permits.map((permit) => ({ ...permit, at: askedAt }));
      return { permits, nextAt: monotonic() + answer.waitMs };
    },
    leave: () => undefined,
    giveBack: ({ id }) => link.notify('give back', id),
    noteSent({ id, at }) {
      if (monotonic() - at > PROMPT_MS) link.notify('sent', id);
    },
    noteAnswered: () => undefined,
    noteRefused: ({ id }, waitMs) => link.notify('refused', { id, waitMs }),
    isLate: ({ at }) => limit !== Infinity && monotonic() - at > PERMIT_VALID_MS,
    limit: () => limit,
    onRoom: (listener) => link.on('room', listener),
    close: () => undefined,
  };
}
