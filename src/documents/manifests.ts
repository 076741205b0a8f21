import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import type { Clock } from '../time.ts';
import { signatureOf } from './files.ts';
import { findIn, findTextIn } from './by-id.ts';
import type { KeptList, KeptOperation } from './kept-list.ts';
import { type Loaded, loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';
import { createRetired, type Retired } from './retired.ts';
import { watchFiles } from './file-watch.ts';

/** The operations that the manifests list. */
export interface Manifests {
  /** `clientName`: some operations are for one client only. */
  find(id: string, clientName?: string): ListedOperation | undefined;
  /** The listed operation with exactly this text. */
  findText(text: string, clientName?: string): ListedOperation | undefined;
  /** Returns a function that tells whether ids still stand for what they stand for now. */
  versionCheck(): () => boolean;
  close(): void;
}

interface ManifestsOptions {
  /** Manifest files, and folders of documents. */
  paths: readonly string[];
  schema: GraphQLSchema;
  monotonic: Clock;
  log: Logger;
  /** How long an operation that is no longer listed is still served, since phones update slowly; 0: not at all. */
  retireMs: number;
  /** What earlier processes served; updated for later ones. */
  kept: KeptList;
  /** How often the files are checked. A change takes effect at the second check. */
  everyMs?: number;
  /** How often to check what other processes list. */
  syncEveryMs?: number;
}

const CHECK_EVERY_MS = 500;
const SYNC_EVERY_MS = 15_000;

/** Reads the manifests and keeps watching them. Throws ConfigError if they cannot be served as they are. */
export async function openManifests(options: ManifestsOptions): Promise<Manifests> {
  const { paths, schema, monotonic, log, retireMs, kept } = options;
  const { everyMs = CHECK_EVERY_MS, syncEveryMs = SYNC_EVERY_MS } = options;
  const signature = await signatureOf(paths);
  let loaded = await loadDocuments(paths, schema);
  if (loaded.problems.length > 0) throw new ConfigError(`PERSISTED_DOCUMENTS: ${sumUp(loaded)}`);
  const retired = createRetired(monotonic, retireMs);
  const sync = () => syncKept(options, retired, loaded);
  if (paths.length > 0) await sync();

  /** Reloads changed manifests, all or none: a fault in one keeps the old ones. Resolves with whether all were read. */
  async function reload(isRetry: boolean): Promise<boolean> {
    const next = await loadDocuments(paths, schema, loaded.checks);
    if (next.problems.length > 0) {
      if (!isRetry || next.isRead) log.error(`PERSISTED_DOCUMENTS: not reloaded: ${sumUp(next)}`);
      return next.isRead;
    }
    retired.replace(loaded.index, next.index);
    loaded = next;
    void sync();
    log.info({ operations: next.operations.length }, 'PERSISTED_DOCUMENTS: reloaded');
    return true;
  }

  const unwatch = paths.length > 0 && watchFiles({ paths, signature, everyMs, onChange: reload });
  const syncIfChanged = async () => (await kept.hasChanged()) && sync();
  const timer = unwatch && setInterval(() => void syncIfChanged(), syncEveryMs).unref();
  return {
    find: (id, clientName) =>
      findIn(loaded.index, id, clientName) ?? findIn(retired, id, clientName),
    findText: (text, clientName) =>
      findTextIn(loaded.index, text, clientName) ?? findTextIn(retired, text, clientName),
    versionCheck() {
      const seen = retired.version();
      return () => retired.version() === seen;
    },
    close() {
      if (unwatch) unwatch();
      if (timer) clearInterval(timer);
    },
  };
}

/**
 * Takes over, for a while, the operations that other processes list or have listed, and stores those served here for
 * later processes. Repeated, since the store may have been unavailable, have lost the list, or have another one by now.
 */
async function syncKept(
  { kept, log }: ManifestsOptions,
  retired: Retired,
  { index, operations: listed }: Loaded,
): Promise<void> {
  const before = await kept.read();
  const known = retired.all().length;
  retired.takeOver(before, index);
  const earlier = retired.all();
  const { length: operations } = earlier;
  if (operations > known)
    log.info(
      { operations },
      'PERSISTED_DOCUMENTS: operations listed earlier are still served for a while',
    );
  // Retired operations come first: their ids may stand for other texts by now.
  if (!isWritten(before, listed, earlier)) void kept.write([...earlier, ...listed]);
}

function isWritten(
  kept: readonly KeptOperation[],
  listed: readonly ListedOperation[],
  earlier: readonly ListedOperation[],
): boolean {
  const nameOf = ({ id, body, clientName }: ListedOperation) =>
    JSON.stringify([id, body, clientName]);
  const namesOf = (operations: readonly ListedOperation[]) => new Set(operations.map(nameOf));
  const isListed = ({ leftMs }: KeptOperation) => leftMs === undefined;
  return (
    namesOf(kept.filter(isListed)).symmetricDifference(namesOf(listed)).size === 0 &&
    namesOf(earlier).isSubsetOf(namesOf(kept))
  );
}

function sumUp({ problems: [first, ...others] }: Loaded): string {
  const hint = `and ${others.length} more: the command check-manifest lists them`;
  return others.length > 0 ? `${first} (${hint})` : `${first}`;
}
