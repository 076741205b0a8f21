import { z } from 'zod';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Group } from '../meters.ts';
import type { Shared } from '../shared/shared.ts';
import { createPeerNotes, type PeerNotes } from '../shared/peer-notes.ts';
import type { Clock } from '../time.ts';

/** What processes that share a line tell each other about it: its speed in bytes per millisecond. */
export type LineSpeeds = PeerNotes<number>;

/** How often (in milliseconds) an unchanged speed is announced again, and how often others are asked for theirs. */
const ANNOUNCE_EVERY_MS = 300_000;
const ASK_MS = { unknown: 20, known: 1000 };

export const createLineSpeeds = (
  group: Group,
  around: { shared: Shared | undefined; monotonic: Clock },
): LineSpeeds =>
  createPeerNotes(`line ${group}`, z.number().positive(), {
    ...around,
    repeatMs: ANNOUNCE_EVERY_MS,
  });

/** Reads the speeds that other processes have measured, and announces what this one has measured. */
export function createPeerSpeeds(speeds: LineSpeeds, monotonic: Clock) {
  let announced = 0;
  let askedAt = -Infinity;
  let speedElsewhere: number | undefined;
  let asking: Maybe<void>;

  function take(): void {
    const found = speeds.others();
    if (found.length > 0) speedElsewhere = median(found);
  }

  return {
    publish(perMs: number): void {
      const hasChanged = perMs > announced * 2 || perMs < announced / 2;
      if (Number.isFinite(perMs)) speeds.publish(() => (announced = perMs), hasChanged);
    },
    /** The median of the others' speeds when they were last read; undefined before any is known. */
    speed: () => speedElsewhere,
    /** Reads the others' speeds, unless that was done just now. Worth waiting for only while none is known. */
    ask(): Maybe<void> {
      const every = speedElsewhere === undefined ? ASK_MS.unknown : ASK_MS.known;
      if (monotonic() - askedAt < every) return speedElsewhere === undefined ? asking : undefined;
      askedAt = monotonic();
      return (asking = whenReady(speeds.refresh(), take));
    },
  };
}

/** Returns the median: of an even number of values, the lower of the two in the middle; 0 if there are none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
