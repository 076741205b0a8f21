import type { z } from 'zod';
import { parseJson } from '../json.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { NOTES_KEPT_MS, type Shared } from './shared.ts';

/** How long until the same is told again, so that its note is not forgotten. */
const AGAIN_MS = NOTES_KEPT_MS / 2;

/** What each process tells the others about itself under one topic, and what they have told. */
export interface Told<T> {
  /** Tells `value` if it is news, or was told long ago. */
  tell(value: () => T, isNews: boolean): void;
  /** Reads what others have told. */
  hear(): Maybe<void>;
  /** What the others had told when `hear` last read it. */
  others(): readonly T[];
}

interface Around {
  shared: Shared | undefined;
  monotonic: Clock;
  /** How long until the same is told again, if that is sooner than AGAIN_MS. */
  againMs?: number;
}

/** `schema`: of the JSON that is told. A note that does not match comes from another version, and is ignored. */
export function createTold<T>(
  topic: string,
  schema: Pick<z.ZodType<T>, 'safeParse'>,
  { shared, monotonic, againMs = AGAIN_MS }: Around,
): Told<T> {
  let others: readonly T[] = [];
  let toldAt = -Infinity;

  const take = (texts: readonly string[]) => {
    others = texts.flatMap((text) => schema.safeParse(parseJson(text)).data ?? []);
  };

  return {
    tell(value, isNews) {
      if (!shared || (!isNews && monotonic() - toldAt < Math.min(againMs, AGAIN_MS))) return;
      toldAt = monotonic();
      shared.note(topic, JSON.stringify(value()));
    },
    hear: () => shared && whenReady(shared.notes(topic), take),
    others: () => others,
  };
}
