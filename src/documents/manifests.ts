import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import type { Clock } from '../time.ts';
import { type FoundOperation, signatureOf } from './files.ts';
import { findIn, type Index } from './by-id.ts';
import { type Loaded, loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';
import { watchFiles } from './watch.ts';

/** The operations that the manifests list. */
export interface Manifests {
  /** `clientName`: some operations are for one client only. */
  find(id: string, clientName?: string): ListedOperation | undefined;
  /** Another number whenever an id may stand for something else than before. */
  version(): number;
  close(): void;
}

export interface ManifestsOptions {
  /** Manifest files, and folders of documents. */
  paths: readonly string[];
  schema: GraphQLSchema;
  now: Clock;
  log: Logger;
  /** How often the files are looked at. A change is taken up at the second look. */
  everyMs?: number;
}

const LOOK_EVERY_MS = 500;

/** Phones update slowly: what is listed no more is still served for so long. */
const FAREWELL_MS = 86_400_000;

/** Throws ConfigError where the manifests cannot be served as they are. */
export async function openManifests(options: ManifestsOptions): Promise<Manifests> {
  const { paths, schema, now, log, everyMs = LOOK_EVERY_MS } = options;
  const signature = await signatureOf(paths);
  let loaded = await loadDocuments(paths, schema);
  if (loaded.problems.length > 0) throw new ConfigError(`PERSISTED_DOCUMENTS: ${sumUp(loaded)}`);
  const farewell = createFarewell(now);

  /** All or nothing: until here nobody sees the new ones, and one that is at fault stops all. */
  async function takeUp(): Promise<void> {
    const next = await loadDocuments(paths, schema, loaded.checks);
    if (next.problems.length > 0)
      return log.error(`PERSISTED_DOCUMENTS: not taken up: ${sumUp(next)}`);
    farewell.replace(loaded.index, next.index);
    loaded = next;
    log.info({ operations: next.operations.length }, 'PERSISTED_DOCUMENTS: taken up');
  }

  const watch = paths.length > 0 && watchFiles({ paths, signature, everyMs, onChange: takeUp });
  return {
    find: (id, clientName) =>
      findIn(loaded.index, id, clientName) ?? findIn(farewell, id, clientName),
    version: farewell.version,
    close: () => watch && watch.stop(),
  };
}

function sumUp({ problems: [first, ...others] }: Loaded): string {
  const hint = `and ${others.length} more: npm run check-manifest lists them`;
  return others.length > 0 ? `${first} (${hint})` : `${first}`;
}

/** What was listed until recently, and how often something was listed or dropped since the start. */
function createFarewell(now: Clock) {
  const leaving = new Map<string, { operation: FoundOperation; until: number }>();
  let earliest = Infinity;
  let version = 0;

  function drop(): void {
    if (now() < earliest) return;
    earliest = Infinity;
    version += 1;
    for (const [key, { until }] of leaving)
      if (until <= now()) leaving.delete(key);
      else earliest = Math.min(earliest, until);
  }

  return {
    replace(before: Index, after: Index): void {
      for (const key of after.keys()) leaving.delete(key);
      const until = now() + FAREWELL_MS;
      for (const [key, operation] of before)
        if (!after.has(key)) leaving.set(key, { operation, until });
      earliest = Math.min(earliest, until);
      version += 1;
    },
    get(key: string): FoundOperation | undefined {
      drop();
      return leaving.get(key)?.operation;
    },
    version(): number {
      drop();
      return version;
    },
  };
}
