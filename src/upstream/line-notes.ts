import { type Maybe, whenReady } from '../maybe.ts';
import type { Group } from '../meters.ts';
import type { Shared } from '../shared/shared.ts';
import type { Clock } from '../time.ts';

/** What processes tell each other of a line that they share. */
export interface LineNotes {
  tell(text: string): void;
  heard(): Maybe<readonly string[]>;
}

/** Undefined where nothing is shared. */
export function lineNotesIn(shared: Shared | undefined, group: Group): LineNotes | undefined {
  if (!shared) return undefined;
  const topic = `line ${group}`;
  return { tell: (text) => shared.note(topic, text), heard: () => shared.notes(topic) };
}

/** How often others are told the same, and asked. */
const TELL_MS = 300_000;
const ASK_MS = { unknown: 20, known: 1000 };

/** Speeds that other processes have found, for as long as this one knows little, and what it tells them. */
export function createOthers(notes: LineNotes, monotonic: Clock) {
  let told = 0;
  let toldAt = -Infinity;
  let askedAt = -Infinity;
  let heard: number | undefined;
  let asking: Maybe<void>;

  const take = (texts: readonly string[]) => {
    const speeds = texts.map(Number).filter((perMs) => perMs > 0);
    if (speeds.length > 0) heard = median(speeds);
  };

  return {
    tell(perMs: number): void {
      const isNews = perMs > told * 2 || perMs < told / 2 || monotonic() - toldAt > TELL_MS;
      if (!isNews || !Number.isFinite(perMs)) return;
      [told, toldAt] = [perMs, monotonic()];
      notes.tell(String(perMs));
    },
    /** What is known of it now. */
    speed: () => heard,
    /** Asks, if that was not done just now; what it gives is to be waited for only where nothing is known. */
    ask(): Maybe<void> {
      const every = heard === undefined ? ASK_MS.unknown : ASK_MS.known;
      if (monotonic() - askedAt < every) return heard === undefined ? asking : undefined;
      askedAt = monotonic();
      return (asking = whenReady(notes.heard(), take));
    },
  };
}

/** The lower one of an even number. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
