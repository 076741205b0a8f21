import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import type { Clock } from '../time.ts';
import { signatureOf } from './files.ts';
import { findIn, findTextIn } from './by-id.ts';
import type { KeptList } from './kept-list.ts';
import { type Loaded, loadDocuments } from './load.ts';
import type { ListedOperation } from './manifest.ts';
import { createRetired, type Retired } from './retired.ts';
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
  /** What earlier processes served, and later ones are told. */
  kept: KeptList;
  /** How often the files are checked. A change is taken up at the second check. */
  everyMs?: number;
}

const CHECK_EVERY_MS = 500;

/** Throws ConfigError where the manifests cannot be served as they are. */
export async function openManifests(options: ManifestsOptions): Promise<Manifests> {
  const { paths, schema, now, log, retireMs, kept, everyMs = CHECK_EVERY_MS } = options;
  const signature = await signatureOf(paths);
  let loaded = await loadDocuments(paths, schema);
  if (loaded.problems.length > 0) throw new ConfigError(`PERSISTED_DOCUMENTS: ${sumUp(loaded)}`);
  const retired = createRetired(now, retireMs);
  // What was retired first: an id may stand for another text since then.
  const keep = () => kept.write([...retired.all(), ...loaded.operations]);
  if (paths.length > 0 && !(await takeOver(options, retired, loaded))) void keep();

  /** All or nothing: until here nobody sees the new ones, and one that is at fault stops all. */
  async function takeUp(isAgain: boolean): Promise<boolean> {
    const next = await loadDocuments(paths, schema, loaded.checks);
    if (next.problems.length > 0) {
      if (!isAgain || next.isRead) log.error(`PERSISTED_DOCUMENTS: not taken up: ${sumUp(next)}`);
      return next.isRead;
    }
    retired.replace(loaded.index, next.index);
    loaded = next;
    void keep();
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

/** Serves for a while yet what an earlier process had listed. Resolves with whether it had listed the same. */
async function takeOver(
  { kept, log }: ManifestsOptions,
  retired: Retired,
  { index, operations: listed }: Loaded,
): Promise<boolean> {
  const before = await kept.read();
  retired.takeOver(before, index);
  const { length: operations } = retired.all();
  if (operations > 0)
    log.info({ operations }, 'PERSISTED_DOCUMENTS: served for a while yet, as before');
  const textOf = ({ id, body, clientName }: ListedOperation) =>
    JSON.stringify([id, body, clientName]);
  const listedBefore = new Set(before.filter(({ leftMs }) => leftMs === undefined).map(textOf));
  return listedBefore.symmetricDifference(new Set(listed.map(textOf))).size === 0;
}

function sumUp({ problems: [first, ...others] }: Loaded): string {
  const hint = `and ${others.length} more: npm run check-manifest lists them`;
  return others.length > 0 ? `${first} (${hint})` : `${first}`;
}
