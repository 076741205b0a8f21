import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import type { Clock } from '../time.ts';
import { type FoundOperation, signatureOf } from './files.ts';
import { findIn, findTextIn, type Index } from './by-id.ts';
import { type Loaded, loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';
import { watchFiles } from './watch.ts';

/** The operations that the manifests list. */
export interface Manifests {
  /** `clientName`: some operations are for one client only. */
  find(id: string, clientName?: string): ListedOperation | undefined;
  /** The listed operation with exactly this text. */
  findText(text: string, clientName?: string): ListedOperation | undefined;
  /** Tells later whether ids still stand for what they stand for now. */
  versionCheck(): () => boolean;
  close(): void;
}

export interface ManifestsOptions {
  /** Manifest files, and folders of documents. */
  paths: readonly string[];
  schema: GraphQLSchema;
  now: Clock;
  log: Logger;
  /** Phones update slowly: how long an operation that is listed no more is still served; 0: not at all. */
  retireMs: number;
  /** How often the files are checked. A change is taken up at the second check. */
  everyMs?: number;
}

const CHECK_EVERY_MS = 500;

/** Throws ConfigError where the manifests cannot be served as they are. */
export async function openManifests(options: ManifestsOptions): Promise<Manifests> {
  const { paths, schema, now, log, retireMs, everyMs = CHECK_EVERY_MS } = options;
  const signature = await signatureOf(paths);
  let loaded = await loadDocuments(paths, schema);
  if (loaded.problems.length > 0) throw new ConfigError(`PERSISTED_DOCUMENTS: ${sumUp(loaded)}`);
  const retired = createRetired(now, retireMs);

  /** All or nothing: until here nobody sees the new ones, and one that is at fault stops all. */
  async function takeUp(isAgain: boolean): Promise<boolean> {
    const next = await loadDocuments(paths, schema, loaded.checks);
    if (next.problems.length > 0) {
      if (!isAgain || next.isRead) log.error(`PERSISTED_DOCUMENTS: not taken up: ${sumUp(next)}`);
      return next.isRead;
    }
    retired.replace(loaded.index, next.index);
    loaded = next;
    log.info({ operations: next.operations.length }, 'PERSISTED_DOCUMENTS: taken up');
    return true;
  }

  const watch = paths.length > 0 && watchFiles({ paths, signature, everyMs, onChange: takeUp });
  return {
    find: (id, clientName) =>
      findIn(loaded.index, id, clientName) ?? findIn(retired, id, clientName),
    findText: (text, clientName) =>
      findTextIn(loaded.index, text, clientName) ?? findTextIn(retired, text, clientName),
    versionCheck() {
      const seen = retired.version();
      return () => retired.version() === seen;
    },
    close: () => watch && watch.stop(),
  };
}

function sumUp({ problems: [first, ...others] }: Loaded): string {
  const hint = `and ${others.length} more: npm run check-manifest lists them`;
  return others.length > 0 ? `${first} (${hint})` : `${first}`;
}

/** Operations that were listed until recently, and how often the list has changed since the start. */
function createRetired(now: Clock, retireMs: number) {
  const retiring = new Map<string, { operation: FoundOperation; until: number }>();
  let earliest = Infinity;
  let version = 0;

  function drop(): void {
    if (now() < earliest) return;
    earliest = Infinity;
    version += 1;
    for (const [key, { until }] of retiring)
      if (until <= now()) retiring.delete(key);
      else earliest = Math.min(earliest, until);
  }

  return {
    replace(before: Index, after: Index): void {
      for (const key of after.keys()) retiring.delete(key);
      const until = now() + retireMs;
      for (const [key, operation] of before)
        if (!after.has(key)) retiring.set(key, { operation, until });
      earliest = Math.min(earliest, until);
      version += 1;
    },
    get(key: string): FoundOperation | undefined {
      drop();
      return retiring.get(key)?.operation;
    },
    version(): number {
      drop();
      return version;
    },
  };
}
