import type { Held } from './held.ts';
import { inUpstreamOrder, type Order, type Segments } from './segments.ts';
import { BYTES_IN_MEMORY } from './store.ts';

/** The records of some days, in the upstream's order; as old as the oldest of them. */
export type Days<R> = Held<readonly R[]>;

/** The records of segments that together cover some days. */
export function putTogether<R>(parts: Segments<R>, usual: Order): Omit<Days<R>, 'isCurrent'> {
  const oldest = parts.reduce((a, b) => (b.origin.retrievedAt < a.origin.retrievedAt ? b : a));
  return {
    value: inUpstreamOrder(parts, usual),
    origin: oldest.origin,
    expiresAt: Math.min(...parts.map(({ expiresAt }) => expiresAt)),
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
    stale: false,
  };
}

const BYTES_PER_SEGMENT = 200;

/** Bytes in memory. */
export function weigh(segments: Segments<unknown>): number {
  const bytes = segments.map(
    ({ entries, bytesPerRecord }) => entries.length * bytesPerRecord + BYTES_PER_SEGMENT,
  );
  return bytes.reduce((sum, one) => sum + one, 0) * BYTES_IN_MEMORY;
}
