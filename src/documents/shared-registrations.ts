import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { News } from '../shared/news.ts';
import { sha256 } from './ids.ts';
import type { Registrations } from './registrations.ts';

/** Texts that clients have registered, known to all replicas. */

const TOPIC = 'registered operation';
const announcement = z.compile(z.object({ query: z.string(), client: z.string() }));

/** Announces to other replicas what is registered here, and registers what they announce. */
export function shareRegistrations(own: Registrations, news: News | undefined): Registrations {
  if (!news) return own;
  news.listen(TOPIC, (text) => {
    const { success, data } = announcement.safeParse(parseJson(text));
    if (success) own.add(sha256(data.query), data.query, data.client);
  });
  return {
    get: own.get,
    size: own.size,
    add(hash, query, client) {
      const isKnown = own.get(hash) !== undefined;
      own.add(hash, query, client);
      if (!isKnown && own.get(hash) !== undefined)
        news.publish(TOPIC, JSON.stringify({ query, client }));
    },
  };
}
