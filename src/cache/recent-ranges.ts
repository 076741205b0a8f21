import { ABOUT } from '../shared/asked.ts';
import type { Shared } from '../shared/shared.ts';
import { createPeerNotes } from '../shared/peer-notes.ts';
import type { Clock, Span } from '../time.ts';
import { contains, hullOf, union } from '../spans.ts';

const MAX_RANGES = 200;

/**
 * The ranges asked for recently, under any key: what was asked for under one key is likely to be asked for under the
 * next one, too. Of several processes, each tells the others what it is asked for.
 */
export function createRecentRanges(
  topic: string,
  around: { shared: Shared | undefined; monotonic: Clock },
) {
  const recent: Span[] = [];
  let next = 0;
  const others = createPeerNotes(topic, ABOUT.days, around);
  let announced: Span | undefined;
  let unannounced = 0;

  const own = () => hullOf(union(recent));

  return {
    note(asked: Span): void {
      recent[next] = asked;
      next = (next + 1) % MAX_RANGES;
      unannounced += 1;
      const isNews = !announced || !contains(announced, asked) || unannounced >= MAX_RANGES;
      if (isNews) [announced, unannounced] = [own(), 0];
      others.publish(() => own() ?? asked, isNews);
    },
    /** Reads what the other processes were asked for recently. */
    update: others.refresh,
    /** From the earliest to the latest day of recent questions to any process. */
    hull: (): Span | undefined => hullOf(union([...recent, ...others.others()])),
  };
}
