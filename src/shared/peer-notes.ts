import type { z } from 'zod';
import { parseJson } from '../json.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { NOTES_KEPT_MS, type Shared } from './shared.ts';

/** How long until the same is told again, so that its note is not forgotten. */
const REPEAT_MS = NOTES_KEPT_MS / 2;

/** What each process tells the others about itself under one topic, and what they have told. */
export interface PeerNotes<T> {
  /** Tells `value` if it is news, or was told long ago. */
  tell(value: () => T, isNews: boolean): void;
  /** Reads what others have told. */
  hear(): Maybe<void>;
  /** What the others had told when `hear` last read it. */
  others(): readonly T[];
}

interface PeerNotesOptions {
  shared: Shared | undefined;
  monotonic: Clock;
  /** How long until the same is told again, if that is sooner than REPEAT_MS. */
  repeatMs?: number;
}

/** `schema`: of the JSON that is told. A note that does not match comes from another version, and is ignored. */
export function createPeerNotes<T>(
  topic: string,
  schema: Pick<z.ZodType<T>, 'safeParse'>,
  { shared, monotonic, repeatMs = REPEAT_MS }: PeerNotesOptions,
): PeerNotes<T> {
  let others: readonly T[] = [];
  let lastToldAt = -Infinity;

  const take = (texts: readonly string[]) => {
    others = texts.flatMap((text) => schema.safeParse(parseJson(text)).data ?? []);
  };

  return {
    tell(value, isNews) {
      if (!shared || (!isNews && monotonic() - lastToldAt < Math.min(repeatMs, REPEAT_MS))) return;
      lastToldAt = monotonic();
      shared.note(topic, JSON.stringify(value()));
    },
    hear: () => shared && whenReady(shared.notes(topic), take),
    others: () => others,
  };
}
