import { LRUCache } from 'lru-cache';
import type { Clock } from '../time.ts';

/** The texts that clients registered by themselves (automatic persisted queries). */
export interface Registrations {
  get(hash: string): string | undefined;
  /** `client`: whose share of the store it takes. */
  add(hash: string, query: string, client: string): void;
}

export interface RegistrationsOptions {
  now: Clock;
  maxBytes?: number;
  /** What one client may fill, so that nobody can push out what all others use. */
  maxBytesPerClient?: number;
  /** How long a text is kept after its last use, in milliseconds. */
  ttlMs?: number;
}

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const ENTRY_OVERHEAD = 256;

interface Registration {
  query: string;
  client: string;
  bytes: number;
}

/** Anybody can register, so the store is bounded in bytes, in time, and for each client. */
export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { now, maxBytes = 16 * MIB, maxBytesPerClient = 4 * MIB, ttlMs = DAY_MS } = options;
  const shares = createShares();
  const held = new LRUCache<string, Registration>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: ttlMs,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now },
    dispose: ({ client, bytes }, hash) => shares.remove(client, hash, bytes),
  });

  return {
    get: (hash) => held.get(hash)?.query,
    add(hash, query, client) {
      const bytes = Buffer.byteLength(query) + ENTRY_OVERHEAD;
      if (held.has(hash) || bytes > Math.min(maxBytes, maxBytesPerClient)) return;
      for (const oldest of shares.toMakeRoom(client, maxBytesPerClient - bytes))
        held.delete(oldest);
      held.set(hash, { query, client, bytes });
      shares.add(client, hash, bytes);
    },
  };
}

/** Who holds which hashes, the oldest first. */
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
    toMakeRoom(client: string, room: number): string[] {
      const { hashes, bytes } = shares.get(client) ?? {
        hashes: new Map<string, number>(),
        bytes: 0,
      };
      let left = bytes;
      const oldest: string[] = [];
      for (const [hash, size] of hashes) {
        if (left <= room) break;
        oldest.push(hash);
        left -= size;
      }
      return oldest;
    },
  };
}
