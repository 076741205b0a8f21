import type { Origin } from '../upstream/endpoint.ts';
import { type Segments, sizeOf } from './segments.ts';

/** All days under a key are one value of the store: how they are kept from becoming too large for it. */

/** Maximum share of the store that the days under one key take: other data need room, too. */
const MAX_STORE_SHARE = 0.75;

/**
 * Drops whole segments until the others fit into their share of the store: those that came longest ago, but none of the
 * answer that has just come, `latest`. If that is too large by itself, its own largest segments are dropped instead: one
 * long question must not cost everybody else the days that they have paid for.
 */
export function fitting<R>(all: Segments<R>, latest: Origin, storeBytes: number): Segments<R> {
  const maxBytes = storeBytes * MAX_STORE_SHARE;
  let bytes = sizeOf(all);
  if (bytes <= maxBytes) return all;
  const own = all.filter(({ origin }) => origin === latest);
  const others = all.filter(({ origin }) => origin !== latest);
  const candidates =
    sizeOf(own) > maxBytes
      ? own.toSorted((a, b) => sizeOf([b]) - sizeOf([a]))
      : others.toSorted((a, b) => a.at - b.at);
  const dropped = new Set<Segments<R>[number]>();
  for (const segment of candidates) {
    if (bytes <= maxBytes) break;
    dropped.add(segment);
    bytes -= sizeOf([segment]);
  }
  return all.filter((segment) => !dropped.has(segment));
}
