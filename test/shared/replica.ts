import { onTestFinished } from 'vitest';
import { openServer, type Server } from '../../src/shared/valkey/server.ts';
import type { AccountId, Change, CounterId } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import type { ValkeyServer } from './valkey-server.ts';

/** A replica as the server sees it: its changes of one account. */

const ID = { month: '2026-11', meter: 'credits' } as const;
export const BASE = '{test}:';
export const ACCOUNT = `${BASE}account:${ID.month}:${ID.meter}`;

/**
 * Opens a replica's connection to the server. `again` repeats something that it has sent, like a packet that arrives
 * late. A replica that `isUnsubscribed` loses all news.
 */
export async function openReplica(
  url: string,
  { isUnsubscribed = false, id = ID }: { isUnsubscribed?: boolean; id?: AccountId } = {},
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
      if (!isUnsubscribed) listener(message);
    });
  const store = unitsInValkey({ server: { ...server, run, listen }, base: BASE });
  /** A server that has lost its memory twice within two seconds is told with the second try. */
  const apply = async (change: Change) =>
    (await store.apply(id, change)) ?? (await store.apply(id, change))!;
  const again = (which: number) => server.run(...sent[which]!);
  const spentIn = (counter: CounterId) => store.readCounter(id, counter);
  return { apply, again, news, spentIn, used: () => store.read(id)?.used };
}

/** Numbers the changes of one replica. */
export function createChanges() {
  let number = 0;
  return (given: Partial<Change> = {}): Change => ({
    number: (number += 1),
    take: [],
    limit: undefined,
    look: undefined,
    spent: [],
    ended: [],
    underWay: 0,
    held: 0,
    ...given,
  });
}

/** Changes the account as it is stored on the server. */
export async function edit(
  { command }: Pick<ValkeyServer, 'command'>,
  update: (stored: StoredAccount) => void,
): Promise<void> {
  const stored = JSON.parse(String(await command('GET', ACCOUNT))) as StoredAccount;
  update(stored);
  await command('SET', ACCOUNT, JSON.stringify(stored));
}

/** Changes when the epoch of the server began. */
export async function moveEpoch({ command }: Pick<ValkeyServer, 'command'>, ms: number) {
  const epoch = String(await command('GET', `${BASE}epoch`));
  await command(
    'SET',
    `${BASE}epoch`,
    epoch.replace(/\d+$/, (at) => String(Number(at) + ms)),
  );
}

interface StoredAccount {
  closedUntil: number;
  writers: Record<string, { at: number }>;
}
