import type { z } from 'zod';
import { parseJson } from '../json.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { NOTES_KEPT_MS, type Shared } from './shared.ts';

/** How long until the same is published again, so that its note is not forgotten. */
const REPEAT_MS = NOTES_KEPT_MS / 2;

/** What each process publishes about itself to the others under one topic, and what they have published. */
export interface PeerNotes<T> {
  /** Publishes `value` if it is news, or was last published long ago. */
  publish(value: () => T, isNews: boolean): void;
  /** Reads what others have published. */
  refresh(): Maybe<void>;
  /** What the others had published at the last `refresh`. */
  others(): readonly T[];
}

interface PeerNotesOptions {
  shared: Shared | undefined;
  monotonic: Clock;
  /** How long until the same is published again, if that is sooner than REPEAT_MS. */
  repeatMs?: number;
}

/** `schema`: of the JSON that is published. A note that does not match comes from another version, and is ignored. */
export function createPeerNotes<T>(
  topic: string,
  schema: Pick<z.ZodType<T>, 'safeParse'>,
  { shared, monotonic, repeatMs = REPEAT_MS }: PeerNotesOptions,
): PeerNotes<T> {
  let others: readonly T[] = [];
  let lastPublishedAt = -Infinity;

  const take = (texts: readonly string[]) => {
    others = texts.flatMap((text) => schema.safeParse(parseJson(text)).data ?? []);
  };

  return {
    publish(value, isNews) {
      if (!shared || (!isNews && monotonic() - lastPublishedAt < Math.min(repeatMs, REPEAT_MS)))
        return;
      lastPublishedAt = monotonic();
      shared.note(topic, JSON.stringify(value()));
    },
    refresh: () => shared && whenReady(shared.notes(topic), take),
    others: () => others,
  };
}
