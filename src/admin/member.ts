import type { Console } from '../console/console.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { News } from '../shared/news.ts';
import type { Permits } from '../shared/permits.ts';
import type { Readiness } from '../transport/lifecycle.ts';

/** What an app has of being one of several processes that serve the same port (src/workers). */
export interface Member {
  /** Whether the upstream is a sandbox that all of them share. */
  isSandbox: boolean;
  /** What all of them tell each other; one hears what it tells itself, too. */
  news: News;
  /** The same, but one does not hear itself. */
  siblings: News;
  /** Their common pace toward Group B. */
  permits: Permits;
  /** Called once, with what the process that leads them is to know of this one. */
  offer(parts: AdminParts): void;
}

/** What those who run the gateway look at. */
export interface AdminParts {
  metrics: Metrics | undefined;
  /** Undefined: there is no admin listener. */
  console: Console | undefined;
  readiness(): Readiness;
  /** Stores what was counted, so that the console of any process shows it. */
  flush(): void;
}
