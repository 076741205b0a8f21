import type { Config } from '../config.ts';
import type { Pauses } from '../cache/pauses.ts';
import type { Store } from '../cache/store.ts';
import type { Meter } from '../meters.ts';
import { type Clock, type Day, dayAt, startOf } from '../time.ts';
import type { Client } from '../upstream/client.ts';
import type { Ledger } from '../usage/ledger.ts';
import { noteUntil, type Operation } from '../usage/operation.ts';

/** What all operations share. */
export interface Gateway {
  client: Client;
  ledger: Ledger;
  store: Store;
  pauses: Pauses;
  now: Clock;
  /** For waiting: setting the system's clock does not change it. */
  monotonic: Clock;
  /** Units spent by live updates, which belong to no operation. */
  background: Record<Meter, number>;
  settings: Pick<Config, 'ttl' | 'timezone' | 'widenMaxBytes'>;
}

/** What the resolvers of one operation share; loaders are made lazily beside their domain. */
export interface Context {
  gateway: Gateway;
  operation: Operation;
}

/** The upstream's calendar day. */
export function today({ now, settings }: Gateway): Day {
  return dayAt(now(), settings.timezone);
}

/** The same for an operation, whose answer then holds no longer than the day. */
export function todayFor({ gateway, operation }: Context): Day {
  const day = today(gateway);
  noteUntil(operation, startOf(day + 1, gateway.settings.timezone));
  return day;
}
