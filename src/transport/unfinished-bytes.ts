/** Bytes of bodies and messages that have not ended, of all connections of one server. */
export interface UnfinishedBytes {
  /** Notes how many one holds by now; 0: none any more. Where all hold too much, those that began first are cut. */
  hold(by: Destroyable, bytes: number): void;
}

interface Destroyable {
  /** Ends its connection. */
  destroy(): unknown;
}

/** All together hold so much at most: those that began first take longest. */
const MAX_BYTES = 64 * 1024 * 1024;

export function createUnfinishedBytes(): UnfinishedBytes {
  const held = new Map<Destroyable, number>();
  let total = 0;

  function note(by: Destroyable, bytes: number): void {
    total += bytes - (held.get(by) ?? 0);
    if (bytes > 0) held.set(by, bytes);
    else held.delete(by);
  }

  function cutOldest(newest: Destroyable): void {
    for (const oldest of held.keys()) {
      if (total <= MAX_BYTES || oldest === newest) return;
      note(oldest, 0);
      oldest.destroy();
    }
  }

  return {
    hold(by, bytes) {
      note(by, bytes);
      cutOldest(by);
    },
  };
}
