import type { News } from './news.ts';
import type { Permits } from './permits.ts';
import type { Revocations } from './revocations.ts';
import type { Shared } from './shared.ts';
import type { UnitStore } from './units.ts';

/** What processes share. */
export interface SharedState {
  /** Answers, flights and notes; undefined: nothing is shared. */
  shared: Shared | undefined;
  units: UnitStore;
  /** Undefined: nobody is told anything. */
  news: News | undefined;
  /** Undefined: processes that share files share that of the clients, too. */
  revocations?: Revocations;
  /** Of group B, which has a limit per second; undefined: each process has its own pace. */
  permits?: Permits;
  /** Where it is kept, and whether that can be reached. */
  store: StoreState;
  /** Resolves once all has been stored; `units` are closed by the ledger. */
  close(): Promise<void>;
}

export interface StoreState {
  kind: 'memory' | 'sqlite' | 'server';
  isUp(): boolean;
}
