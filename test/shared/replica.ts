import { onTestFinished } from 'vitest';
import { openServer, type Server } from '../../src/shared/valkey/server.ts';
import type { AccountId, Change, CounterId } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';

/** A replica as the server sees it: what it says of one account, change by change. */

export const ID = { month: '2026-11', meter: 'credits' } as const;
export const BASE = '{test}:';

/**
 * A replica's way to the server; `again` repeats what it has sent, as packets do that were lost for a while.
 * A deaf one loses all news.
 */
export async function openReplica(
  url: string,
  { isDeaf = false, id = ID }: { isDeaf?: boolean; id?: AccountId } = {},
) {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  onTestFinished(server.close);
  await server.ready(1000);
  const sent: Parameters<Server['run']>[] = [];
  const run: Server['run'] = (...call) => {
    sent.push(call);
    return server.run(...call);
  };
  const news: string[] = [];
  const listen: Server['listen'] = (channel, listener) =>
    server.listen(channel, (message) => {
      news.push(message);
      if (!isDeaf) listener(message);
    });
  const store = unitsInValkey({ server: { ...server, run, listen }, base: BASE });
  const apply = async (change: Change) => (await store.apply(id, change))!;
  const again = (which: number) => server.run(...sent[which]!);
  const spentIn = (counter: CounterId) => store.readCounter(id, counter);
  return { apply, again, news, spentIn, used: () => store.read(id)?.used };
}

/** Numbers the changes of one replica. */
export function createChanges() {
  let number = 0;
  return (said: Partial<Change> = {}): Change => ({
    number: (number += 1),
    take: [],
    limit: undefined,
    look: undefined,
    spent: [],
    ended: [],
    underWay: 0,
    held: 0,
    ...said,
  });
}
