import { ABOUT } from '../shared/asked.ts';
import type { Shared } from '../shared/shared.ts';
import { createPeerNotes } from '../shared/peer-notes.ts';
import type { Clock, Span } from '../time.ts';
import { contains, hullOf, union } from '../spans.ts';

/**
 * The ranges asked for recently, under any key: what was asked for under one key is likely to be
 * asked for under the next one, too.
 */
interface RecentRanges {
  note(asked: Span): void;
  /** From the earliest to the latest day of recent questions; undefined before the first. */
  hull(): Span | undefined;
}

const MAX_RANGES = 200;

/** The same for several processes: each tells the others what it is asked for. */
export function createSharedRanges(
  topic: string,
  around: { shared: Shared | undefined; monotonic: Clock },
) {
  const recent = createRecentRanges();
  const others = createPeerNotes(topic, ABOUT.days, around);
  let announced: Span | undefined;
  let unannounced = 0;

  return {
    note(asked: Span): void {
      recent.note(asked);
      unannounced += 1;
      const isNews = !announced || !contains(announced, asked) || unannounced >= MAX_RANGES;
      if (isNews) [announced, unannounced] = [recent.hull(), 0];
      others.publish(() => recent.hull() ?? asked, isNews);
    },
    /** Reads what the other processes were asked for recently. */
    update: others.refresh,
    /** From the earliest to the latest day of recent questions to any process. */
    hull(): Span | undefined {
      const own = recent.hull();
      return hullOf(union([...(own ? [own] : []), ...others.others()]));
    },
  };
}

export function createRecentRanges(): RecentRanges {
  const recent: Span[] = [];
  let next = 0;
  return {
    note(asked) {
      recent[next] = asked;
      next = (next + 1) % MAX_RANGES;
    },
    hull: () => hullOf(union(recent)),
  };
}
