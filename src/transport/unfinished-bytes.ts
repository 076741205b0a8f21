/** Bytes of incomplete bodies and messages, of all connections of one server. */
export interface UnfinishedBytes {
  /** Records how many bytes `by` holds now; 0: it has ended. If all hold too many, those that began first are cut. */
  hold(by: Destroyable, bytes: number): void;
}

interface Destroyable {
  /** Ends its connection. */
  destroy(): unknown;
}

/** Maximum bytes in all. Beyond it, those that began first are cut, since they have taken longest. */
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
