import { z } from 'zod';
import type { Gateway } from '../../graph/context.ts';
import type { Maybe } from '../../maybe.ts';
import { createPeerNotes } from '../../shared/peer-notes.ts';

/** Which assets the clients of other processes ask for. */
export interface OthersDemand {
  /** Reads what the other processes have announced. */
  refresh(): Maybe<void>;
  names(): ReadonlySet<string>;
  /** The highest number of first assets by rank that any of them is asked for now. */
  first(): number;
  /** When any of them got its first question, on the monotonic clock; Infinity if none is known. */
  began(): number;
  /** How many assets were new to each of them, and at what time. */
  newCounts(): readonly NewCount[];
  /** Announces the demand of this process, if it is news or was announced long ago. Times are monotonic. */
  publish(own: () => OwnDemand, isNews: boolean): void;
}

/** A decaying count of new assets, and the time at which it had this value. */
export interface NewCount {
  count: number;
  at: number;
}

/** What the clients of one process ask for. */
interface OwnDemand {
  names: readonly string[];
  first: { count: number; until: number };
  began: number;
  newCount: NewCount;
}

/** The demand of a process as it is announced: in wall time. `fresh` is the count of new assets. */
const announced = z.compile(
  z.object({
    names: z.array(z.string()).readonly(),
    first: z.object({ count: z.number(), until: z.number() }),
    began: z.number(),
    fresh: z.object({ count: z.number(), at: z.number() }),
  }),
);
type Announced = z.infer<typeof announced>;

const TOPIC = 'crypto demand';
/** Minimum pause between announcements of news, in milliseconds: what comes in between goes with the next one. */
const ANNOUNCE_EVERY_MS = 1000;

export function createOthersDemand({ shared, now, monotonic }: Gateway): OthersDemand {
  const announcements = createPeerNotes(TOPIC, announced, { shared, monotonic });
  const toWall = () => now() - monotonic();
  let known = { of: announcements.others(), names: new Set<string>() };
  let isUnannounced = false;
  let announcedAt = -Infinity;

  /** The names of all of them, collected once per reading: an operation may ask thousands of times. */
  function names(): ReadonlySet<string> {
    const of = announcements.others();
    if (of !== known.of) known = { of, names: new Set(of.flatMap((one) => one.names)) };
    return known.names;
  }

  return {
    refresh: announcements.refresh,
    names,
    first() {
      const counts = announcements
        .others()
        .map(({ first }) => (first.until > now() ? first.count : 0));
      return Math.max(0, ...counts);
    },
    began: () => Math.min(Infinity, ...announcements.others().map(({ began }) => began)) - toWall(),
    newCounts: () =>
      announcements.others().map(({ fresh: { count, at } }) => ({ count, at: at - toWall() })),
    publish(own, isNews) {
      isUnannounced ||= isNews;
      const isDue = isUnannounced && monotonic() - announcedAt >= ANNOUNCE_EVERY_MS;
      if (isDue) [isUnannounced, announcedAt] = [false, monotonic()];
      announcements.publish(() => inWallTime(own(), toWall()), isDue);
    },
  };
}

/** Replaces an infinite time, which JSON cannot hold (such as when nothing was new yet), with one long ago. */
const finite = (time: number) => (Number.isFinite(time) ? time : 0);

const inWallTime = ({ names, first, began, newCount }: OwnDemand, toWall: number): Announced => ({
  names,
  first: { count: first.count, until: finite(first.until + toWall) },
  began: began + toWall,
  fresh: { count: newCount.count, at: finite(newCount.at + toWall) },
});
