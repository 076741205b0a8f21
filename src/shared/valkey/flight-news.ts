import { createBoundedMap } from '../../bounded-map.ts';
import type { Server } from './server.ts';

/** What scripts publish about flights: that another process waits for one, and that one is over. */
interface FlightNews {
  isAwaited(token: string): boolean;
  /** Resolves to true when the flight is over, to false after `ms`. */
  isOver(token: string, ms: number): Promise<boolean>;
}

/** How many flights are remembered: news may arrive before anybody asks for it. */
const MAX_REMEMBERED = 1000;

export function createFlightNews(server: Server, channel: string): FlightNews {
  const known = createBoundedMap<string, 'awaited' | 'over'>(MAX_REMEMBERED);
  const waiting = new Map<string, Set<(isOver: boolean) => void>>();

  server.listen(channel, (message) => {
    const [what, token = ''] = message.split(' ');
    if (what === 'awaited' || what === 'over') known.set(token, what);
    if (what === 'over') for (const resolve of waiting.get(token) ?? []) resolve(true);
  });

  return {
    isAwaited: (token) => known.get(token) === 'awaited',
    async isOver(token, ms) {
      if (known.get(token) === 'over') return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const all = waiting.get(token) ?? new Set();
      waiting.set(token, all.add(resolve));
      const timer = setTimeout(resolve, ms, false);
      const isOver = await promise;
      clearTimeout(timer);
      all.delete(resolve);
      if (all.size === 0) waiting.delete(token);
      return isOver;
    },
  };
}
