import type { News } from './news.ts';
import type { Permits } from './permits.ts';
import type { Revocations } from './revocations.ts';
import type { Shared } from './shared.ts';
import type { UnitStore } from './units.ts';

/** Everything that processes share. */
export interface SharedState {
  /** Answers, flights and notes; undefined: none of them is shared or kept. */
  shared: Shared | undefined;
  units: UnitStore;
  /** Undefined if this store delivers no news. */
  news: News | undefined;
  /** Undefined with files: processes that share those also share the clients file. */
  revocations?: Revocations;
  /** Permits for group B, which has a limit per second; undefined: each process has its own pace. */
  permits?: Permits;
  /** Where the state is kept, and whether that can be reached. */
  store: StoreState;
  /** Resolves once everything is stored; the ledger closes `units`. */
  close(): Promise<void>;
}

export interface StoreState {
  kind: 'memory' | 'sqlite' | 'server';
  /** Whether all of it can be used at present. */
  isUp(): boolean;
  /** Whether what is spent can be counted at present. */
  canCount(): boolean;
}
