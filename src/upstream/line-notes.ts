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
const ASK_MS = 20;

/** Speeds that other processes have found, for as long as this one knows none, and what it tells them. */
export function createOthers(notes: LineNotes, monotonic: Clock) {
  let told = 0;
  let toldAt = -Infinity;
  let askedAt = -Infinity;
  let heard: number | undefined;
  let asking: Maybe<void>;

  const take = (texts: readonly string[]) => {
    const speeds = texts.map(Number).filter((perMs) => perMs > 0);
    if (speeds.length > 0) heard = Math.min(...speeds);
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
    /** Asks, if it is not known yet and was not asked just now. */
    ask(): Maybe<void> {
      if (heard !== undefined) return undefined;
      if (monotonic() - askedAt < ASK_MS) return asking;
      askedAt = monotonic();
      return (asking = whenReady(notes.heard(), take));
    },
  };
}
