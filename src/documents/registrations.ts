import { LRUCache } from 'lru-cache';
import { type Clock, DAY_MS } from '../time.ts';

/** The texts that clients have registered themselves, by hash (automatic persisted queries). */
export interface Registrations {
  get(hash: string): string | undefined;
  /** Adds a text, unless it is already there or too long. `client`: whose share of the store it uses. */
  add(hash: string, query: string, client: string): void;
  /** Bytes in use. */
  size(): number;
}

interface RegistrationsOptions {
  monotonic: Clock;
  maxBytes?: number;
  /** Maximum share of one client, in bytes, so that none can push out the texts of all others. */
  maxBytesPerClient?: number;
  /** How long a text is kept after its last use, in milliseconds. */
  ttlMs?: number;
}

const MIB = 1024 * 1024;
/** Memory that an entry takes in addition to its text. */
const ENTRY_OVERHEAD_BYTES = 256;

interface Registration {
  query: string;
  client: string;
  bytes: number;
}

/** Anyone can register texts, so the store is limited in bytes, in time, and for each client. */
export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { monotonic, maxBytes = 16 * MIB, maxBytesPerClient = 4 * MIB, ttlMs = DAY_MS } = options;
  const shares = createShares();
  const registered = new LRUCache<string, Registration>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: ttlMs,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: monotonic },
    dispose: ({ client, bytes }, hash) => shares.remove(client, hash, bytes),
  });

  return {
    get: (hash) => registered.get(hash)?.query,
    size: () => registered.calculatedSize,
    add(hash, query, client) {
      const bytes = Buffer.byteLength(query) + ENTRY_OVERHEAD_BYTES;
      if (registered.has(hash) || bytes > Math.min(maxBytes, maxBytesPerClient)) return;
      for (const oldest of shares.oldestAbove(maxBytesPerClient - bytes, client))
        registered.delete(oldest);
      registered.set(hash, { query, client, bytes });
      shares.add(client, hash, bytes);
    },
  };
}

/** Which hashes each client has registered, the oldest first, and their size in bytes. */
function createShares() {
  const shares = new Map<string, { hashes: Map<string, number>; bytes: number }>();

  return {
    add(client: string, hash: string, bytes: number): void {
      const share = shares.get(client) ?? { hashes: new Map(), bytes: 0 };
      shares.set(client, share);
      share.hashes.set(hash, bytes);
      share.bytes += bytes;
    },
    remove(client: string, hash: string, bytes: number): void {
      const share = shares.get(client);
      if (!share?.hashes.delete(hash)) return;
      share.bytes -= bytes;
      if (share.hashes.size === 0) shares.delete(client);
    },
    /** Returns the oldest hashes that have to go so that the client has no more than `maxBytes`. */
    oldestAbove(maxBytes: number, client: string): string[] {
      const share = shares.get(client);
      const oldest: string[] = [];
      let left = share?.bytes ?? 0;
      for (const [hash, size] of share?.hashes ?? []) {
        if (left <= maxBytes) break;
        oldest.push(hash);
        left -= size;
      }
      return oldest;
    },
  };
}
