/**
 * Digests of revoked keys: one list for all replicas. It also reaches replicas that are cut off from the server when a
 * key is revoked, or that start later with an old clients file.
 */
export interface Revocations {
  add(digest: string): void;
  /** Takes a key off the list: it is valid again. */
  remove(digest: string): void;
  /** Calls `listener` with all digests whenever they have changed; resolves once they have been read. */
  watch(listener: (digests: ReadonlySet<string>) => void): Promise<void>;
  close(): void;
}
