/**
 * Keys that are revoked, by their digests: one list for all replicas, for those as well that are cut off from the server
 * when a key is revoked, or start later with an old file.
 */
export interface Revocations {
  add(digest: string): void;
  /** A key that is on the list is good again. */
  remove(digest: string): void;
  /** Calls `listener` with all of them, whenever they are others than before; resolves once they have been read. */
  watch(listener: (digests: ReadonlySet<string>) => void): Promise<void>;
  close(): void;
}
