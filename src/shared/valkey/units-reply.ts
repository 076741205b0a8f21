import { z } from 'zod';
import { parseJson } from '../../json.ts';

/** What the script that makes a change of an account (units-script.ts) replies. */

const count = z.number();
const maybeCount = count.nullish().transform((value) => value ?? null);
/** An account as the script shows it, in its reply and in news to all replicas. */
export const shownAccount = z.object({
  epoch: z.string(),
  version: count,
  used: count,
  lastSent: count,
  remaining: maybeCount,
  balanceAt: count,
  total: maybeCount,
  compared: z.object({ total: count, counted: count }).optional(),
  timeouts: z.object({ counted: count, free: count }),
  isSpentElsewhere: z.boolean(),
  shortSince: maybeCount,
  closedUntil: count,
  closedAt: count,
  // Replicas of an older version do not tell the fields from here on.
  lateUntil: count.default(0),
  lateAt: count.default(0),
  unstatedAt: count.default(0),
  setAside: count.default(0),
  /** What each process may still spend of what was granted to it in advance. */
  held: z.record(z.string(), count).default({}),
  /** The counters that the change has looked at. */
  counters: z.record(z.string(), count).default({}),
  bookings: count.optional(),
});
export type Shown = z.infer<typeof shownAccount>;

const applied = z.object({
  // Lua encodes an empty list as an object.
  taken: z.array(count).or(z.record(z.string(), z.never()).transform(() => [])),
  elsewhere: count,
  advance: count,
  waitMs: count.optional(),
  /** Units of before this epoch that the server had lost, and has learned from this change. */
  restored: count.default(0),
  /** Whether the epoch has begun so recently that units with a limit are not given out yet. */
  isBeginning: z.boolean(),
});

const json = <T>(type: z.ZodType<T>) =>
  z
    .instanceof(Buffer)
    .transform((bytes) => parseJson(String(bytes)))
    .pipe(type);

/** The account, and what was applied of the change. */
export const appliedReply = z.tuple([json(shownAccount), json(applied)]);

/** Returns the epoch if the reply is `tell`: the server asks what was known before this epoch. */
export function epochAsking(reply: unknown): string | undefined {
  return Array.isArray(reply) && String(reply[0]) === 'tell' ? String(reply[1]) : undefined;
}
