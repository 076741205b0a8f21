import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { News } from '../shared/news.ts';

const TOPIC = 'operations of clients';
const announcement = z.compile(z.array(z.tuple([z.string(), z.number()])));

/** How long counts are gathered before they are announced: a client may exceed its limit by what arrives meanwhile. */
const ANNOUNCE_AFTER_MS = 10;

/**
 * Tells siblings how many operations of each client have passed here, and hears how many have passed there. Returns a
 * function to be called when an operation of the client with this name has passed.
 */
export function createSharedCounts(
  siblings: News,
  onCount: (name: string, count: number) => void,
): (name: string) => void {
  const unannounced = new Map<string, number>();

  function announce(): void {
    siblings.publish(TOPIC, JSON.stringify([...unannounced]));
    unannounced.clear();
  }

  siblings.listen(TOPIC, (text) => {
    const { success, data } = announcement.safeParse(parseJson(text));
    if (success) for (const [name, count] of data) onCount(name, count);
  });

  return (name) => {
    if (unannounced.size === 0) setTimeout(announce, ANNOUNCE_AFTER_MS).unref();
    unannounced.set(name, (unannounced.get(name) ?? 0) + 1);
  };
}
