import type { Group } from '../meters.ts';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';

/** Watches how upstream requests end, and knows whether one of the groups refuses our key. */
export interface KeyWatch {
  note(end: Pick<RequestEnd, 'group' | 'meter' | 'result' | 'status' | 'wasSent'>): void;
  /** The groups that refuse it. */
  refusedBy(): Group[];
}

/** The status with which the upstream refuses a key (spec section 5). */
const REFUSED_KEY = 401;

/** Time after which the key is assumed to be accepted again: without clients, no request would show that it is. */
const TRY_AGAIN_MS = 60_000;

export function createKeyWatch(monotonic: Clock): KeyWatch {
  const refusedAt = new Map<Group, number>();
  return {
    note({ group, meter, result, status, wasSent }) {
      // The health check needs no key.
      if (meter === undefined) return;
      // A 403 may be about a single request, e.g. one that a firewall takes for an attack.
      if (status === REFUSED_KEY) refusedAt.set(group, monotonic());
      else if (result === 'ok' && wasSent) refusedAt.delete(group);
    },
    refusedBy() {
      const since = monotonic() - TRY_AGAIN_MS;
      return [...refusedAt].flatMap(([group, at]) => (at > since ? [group] : [])).toSorted();
    },
  };
}
