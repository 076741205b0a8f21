import type { Console } from '../console/console.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { News } from '../shared/news.ts';
import type { Permits } from '../shared/permits.ts';
import type { Readiness } from '../transport/lifecycle.ts';

/** What an app shares with the other processes that serve the same port (src/workers). */
export interface Member {
  /** Messages among all of them; each process also receives its own. */
  news: News;
  /** The same, but a process does not receive its own. */
  siblings: News;
  /** Their common pace toward Group B. */
  permits: Permits;
  /** Called once, with the parts of this process that the primary process needs. */
  offer(parts: AdminParts): void;
}

/** The parts of an app that operators look at. */
export interface AdminParts {
  metrics: Metrics | undefined;
  /** Undefined if there is no admin listener. */
  console: Console | undefined;
  readiness(): Readiness;
  /** Stores what was counted, so that the console of any process shows it. */
  flush(): void;
}
