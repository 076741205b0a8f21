import { z } from 'zod';
import type { Gateway } from '../../graph/context.ts';
import type { Maybe } from '../../maybe.ts';
import { createTold } from '../../shared/told.ts';

/** Which assets other processes are asked for. */
export interface OthersDemand {
  /** Reads what they have told. */
  hear(): Maybe<void>;
  names(): ReadonlySet<string>;
  /** The most of the first by rank that one of them is asked for now. */
  first(): number;
  /** When the first of them was asked first, on the monotonic clock; Infinity: none is known. */
  began(): number;
  /** What was new to each of them, and when. */
  fresh(): readonly Fresh[];
  /** Tells them of this process, if that is news or was told long ago. Times are monotonic. */
  tell(own: () => OwnDemand, isNews: boolean): void;
}

/** So much was new at that time. */
export interface Fresh {
  count: number;
  at: number;
}

/** What one process is asked for. */
interface OwnDemand {
  names: readonly string[];
  first: { count: number; until: number };
  began: number;
  fresh: Fresh;
}

/** As it is told: in wall time. */
const note = z.compile(
  z.object({
    names: z.array(z.string()).readonly(),
    first: z.object({ count: z.number(), until: z.number() }),
    began: z.number(),
    fresh: z.object({ count: z.number(), at: z.number() }),
  }),
);

const TOPIC = 'crypto demand';
/** News is told no more often: what comes in between is told with the next. */
const TELL_MS = 1000;

export function createOthersDemand({ shared, now, monotonic }: Gateway): OthersDemand {
  const told = createTold(TOPIC, note, { shared, monotonic });
  const toWall = () => now() - monotonic();
  let known = { of: told.others(), names: new Set<string>() };
  let isUntold = false;
  let toldAt = -Infinity;

  /** Put together once for what was read last: an operation may ask thousands of times. */
  function names(): ReadonlySet<string> {
    const of = told.others();
    if (of !== known.of) known = { of, names: new Set(of.flatMap((one) => one.names)) };
    return known.names;
  }

  return {
    hear: told.hear,
    names,
    first() {
      const counts = told.others().map(({ first }) => (first.until > now() ? first.count : 0));
      return Math.max(0, ...counts);
    },
    began: () => Math.min(Infinity, ...told.others().map(({ began }) => began)) - toWall(),
    fresh: () => told.others().map(({ fresh: { count, at } }) => ({ count, at: at - toWall() })),
    tell(own, isNews) {
      isUntold ||= isNews;
      const isDue = isUntold && monotonic() - toldAt >= TELL_MS;
      if (isDue) [isUntold, toldAt] = [false, monotonic()];
      told.tell(() => inWallTime(own(), toWall()), isDue);
    },
  };
}

/** What JSON cannot hold, as when nothing was new yet, is long ago. */
const finite = (time: number) => (Number.isFinite(time) ? time : 0);

const inWallTime = ({ names, first, began, fresh }: OwnDemand, toWall: number): OwnDemand => ({
  names,
  first: { count: first.count, until: finite(first.until + toWall) },
  began: began + toWall,
  fresh: { count: fresh.count, at: finite(fresh.at + toWall) },
});
