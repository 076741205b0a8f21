import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { News } from '../shared/news.ts';

const TOPIC = 'operations of clients';
const told = z.compile(z.array(z.tuple([z.string(), z.number()])));

/** Operations are gathered for so long before they are told: a client may pass its limit by as many as come meanwhile. */
const TELL_MS = 10;

/** Tells siblings which clients' operations have passed here, and hears what has passed there. */
export interface ToldCounts {
  /** An operation of the client with this name has passed. */
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
