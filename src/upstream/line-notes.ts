import { z } from 'zod';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Group } from '../meters.ts';
import type { Shared } from '../shared/shared.ts';
import { createTold, type Told } from '../shared/told.ts';
import type { Clock } from '../time.ts';

/** What processes tell each other of a line that they share: how many bytes come in a millisecond. */
export type LineSpeeds = Told<number>;

/** How often the same speed is told again, and how often others are asked for theirs. */
const TELL_MS = 300_000;
const ASK_MS = { unknown: 20, known: 1000 };

export const createLineSpeeds = (
  group: Group,
  around: { shared: Shared | undefined; monotonic: Clock },
): LineSpeeds =>
  createTold(`line ${group}`, z.number().positive(), { ...around, againMs: TELL_MS });

/** Speeds that other processes have found, for as long as this one knows little, and what it tells them. */
export function createOthers(speeds: LineSpeeds, monotonic: Clock) {
  let told = 0;
  let askedAt = -Infinity;
  let heard: number | undefined;
  let asking: Maybe<void>;

  function take(): void {
    const found = speeds.others();
    if (found.length > 0) heard = median(found);
  }

  return {
    tell(perMs: number): void {
      const isNews = perMs > told * 2 || perMs < told / 2;
      if (Number.isFinite(perMs)) speeds.tell(() => (told = perMs), isNews);
    },
    /** What is known of it now. */
    speed: () => heard,
    /** Asks, if that was not done just now; what it gives is to be waited for only where nothing is known. */
    ask(): Maybe<void> {
      const every = heard === undefined ? ASK_MS.unknown : ASK_MS.known;
      if (monotonic() - askedAt < every) return heard === undefined ? asking : undefined;
      askedAt = monotonic();
      return (asking = whenReady(speeds.hear(), take));
    },
  };
}

/** The lower one of an even number. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
