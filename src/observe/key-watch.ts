import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';

/** Watches how upstream requests end, and knows whether one of the groups refuses our key. */
export interface KeyWatch {
  note(end: Pick<RequestEnd, 'group' | 'meter' | 'result'>): void;
  /** The groups that refuse it. */
  refusedBy(): Group[];
}

/** Time after which the key is assumed to be accepted again: without clients, no request would show that it is. */
const TRY_AGAIN_MS = 60_000;

export function createKeyWatch(monotonic: Clock): KeyWatch {
  const refusedAt = new Map<Group, number>();
  return {
    note({ group, meter, result }) {
      // The health check needs no key.
      if (meter === undefined) return;
      if (result === 'UPSTREAM_AUTHENTICATION') refusedAt.set(group, monotonic());
      else if (result === 'ok') refusedAt.delete(group);
    },
    refusedBy() {
      const since = monotonic() - TRY_AGAIN_MS;
      return [...refusedAt].flatMap(([group, at]) => (at > since ? [group] : [])).toSorted();
    },
  };
}
