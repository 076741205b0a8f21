import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { Shared } from '../shared/shared.ts';
import { type Clock, DAY_MS } from '../time.ts';
import type { ListedOperation } from './manifest.ts';

/**
 * What the manifests listed last, kept where answers are: a process that starts with other manifests, as after an
 * update, knows from it what clients ask for that were built before.
 */
export interface KeptList {
  /** Empty where nothing is known. */
  read(): Promise<KeptOperation[]>;
  /** Whether it is other than what was read or written here last: to compare lists takes much longer than to ask this. */
  hasChanged(): Promise<boolean>;
  /** Replaces what is kept. Never rejects. */
  write(operations: readonly KeptOperation[]): Promise<void>;
}

export interface KeptOperation extends ListedOperation {
  /** No longer listed, but served for so many milliseconds more; undefined: it was listed. */
  leftMs?: number | undefined;
}

/** Longer than any gateway runs without an update. */
const KEEP_MS = 400 * DAY_MS;
const LEASE_MS = 5000;
/** How often another process that is writing the list is waited for. */
const TRIES = 3;

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
 * `paths`: of the manifests. Gateways with other paths keep other lists: what one of them allows another one may not.
 * `shared` undefined: nothing is kept. `now`: wall time.
 */
export function keptListIn(
  paths: readonly string[],
  shared: Shared | undefined,
  now: Clock,
): KeptList {
  const key = `listed operations ${JSON.stringify(paths)}`;

  let seen: string | undefined;
  const current = async () => (await shared?.read(key))?.at(-1)?.body ?? '';

  async function write(body: string, tries = TRIES): Promise<void> {
    if (!shared || tries === 0) return;
    const claim = await shared.claim(key, null, LEASE_MS);
    if (!claim.isOurs) return claim.over.then(() => write(body, tries - 1));
    await claim.land({ asked: null, status: 200, body, retrievedAt: now() }, KEEP_MS);
  }
  return {
    async read() {
      seen = await current();
      const kept = keptOperations.catch([]).parse(parseJson(seen));
      const at = now();
      return kept.map(({ until, ...operation }) => ({
        ...operation,
        leftMs: until === undefined ? undefined : until - at,
      }));
    },
    hasChanged: async () => (await current()) !== seen,
    write(operations) {
      const at = now();
      const kept = operations.map(({ id, body, name, clientName, leftMs }) => {
        const until = leftMs === undefined ? undefined : at + leftMs;
        return { id, body, name, clientName, until };
      });
      seen = JSON.stringify(kept);
      return write(seen);
    },
  };
}
