import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { Shared } from '../shared/shared.ts';
import { type Clock, DAY_MS } from '../time.ts';
import type { ListedOperation } from './manifest.ts';

/**
 * What the manifests last listed, stored with the answers. From it, a process that starts with other manifests, such as
 * after an update, knows the operations of clients that were built before.
 */
export interface KeptList {
  /** Reads the stored list; empty if there is none. */
  read(): Promise<KeptOperation[]>;
  /** Whether the list is not the one last read or written here; much faster to check than by comparing lists. */
  hasChanged(): Promise<boolean>;
  /** Replaces the stored list. Never rejects. */
  write(operations: readonly KeptOperation[]): Promise<void>;
}

export interface KeptOperation extends ListedOperation {
  /** How many more milliseconds it is served, although no longer listed; undefined: it was listed. */
  leftMs?: number | undefined;
}

/** How long the list is stored: longer than any gateway runs without an update. */
const KEEP_MS = 400 * DAY_MS;
const LEASE_MS = 5000;
/** Maximum number of attempts to write; each that finds another process writing the list waits for it. */
const MAX_TRIES = 3;

const text = z.string();
const keptOperations = z.array(
  z.object({
    id: text,
    body: text,
    name: text.optional(),
    clientName: text.optional(),
    /** By the wall clock, in milliseconds since 1970. */
    until: z.number().optional(),
  }),
);

/**
 * `paths`: those of the manifests. Gateways with different paths keep separate lists, since one may not allow what the
 * other does. `shared` undefined: nothing is stored. `now`: the wall clock.
 */
export function keptListIn(
  paths: readonly string[],
  shared: Shared | undefined,
  now: Clock,
): KeptList {
  const key = `listed operations ${JSON.stringify(paths)}`;

  let lastBody: string | undefined;
  const current = async () => (await shared?.read(key))?.at(-1)?.body ?? '';

  async function store(body: string, tries = MAX_TRIES): Promise<void> {
    if (!shared || tries === 0) return;
    const claim = await shared.claim(key, null, LEASE_MS);
    if (!claim.isOurs) return claim.over.then(() => store(body, tries - 1));
    await claim.land({ asked: null, status: 200, body, retrievedAt: now() }, KEEP_MS);
  }
  return {
    async read() {
      lastBody = await current();
      const kept = keptOperations.catch([]).parse(parseJson(lastBody));
      const at = now();
      return kept.map(({ until, ...operation }) => ({
        ...operation,
        leftMs: until === undefined ? undefined : until - at,
      }));
    },
    hasChanged: async () => (await current()) !== lastBody,
    write(operations) {
      const at = now();
      const kept = operations.map(({ id, body, name, clientName, leftMs }) => {
        const until = leftMs === undefined ? undefined : at + leftMs;
        return { id, body, name, clientName, until };
      });
      lastBody = JSON.stringify(kept);
      return store(lastBody);
    },
  };
}
