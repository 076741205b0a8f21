import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { News } from '../shared/news.ts';

const TOPIC = 'operations of clients';
const told = z.compile(z.array(z.tuple([z.string(), z.number()])));

/** How long counts are gathered before they are announced: a client may exceed its limit by what arrives meanwhile. */
const TELL_MS = 10;

/** Tells siblings how many operations of each client have passed here, and hears how many have passed there. */
export interface ToldCounts {
  /** Notes that an operation of the client with this name has passed. */
  note(name: string): void;
}

export function createToldCounts(
  siblings: News,
  onTold: (name: string, count: number) => void,
): ToldCounts {
  const untold = new Map<string, number>();

  function tell(): void {
    siblings.tell(TOPIC, JSON.stringify([...untold]));
    untold.clear();
  }

  siblings.listen(TOPIC, (text) => {
    const { success, data } = told.safeParse(parseJson(text));
    if (success) for (const [name, count] of data) onTold(name, count);
  });

  return {
    note(name) {
      if (untold.size === 0) setTimeout(tell, TELL_MS).unref();
      untold.set(name, (untold.get(name) ?? 0) + 1);
    },
  };
}
