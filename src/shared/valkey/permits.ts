import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../time.ts';
import { createServerClock } from './clock.ts';
import type { Server } from './server.ts';
import { ALONE, createAlone, type Standing } from './permits-alone.ts';
import type { Permit, Granted, Permits } from '../permits.ts';
import { GIVE_BACK, REFUSED, SENT, TAKE } from './permits-script.ts';

/** Permits that a server gives to all replicas that reach it. */

/** How long after its permit a request may go out. */
const PERMIT_EXPIRES_MS = 500;
/** The same while the server is away: nobody would know of a later one. */
const ALONE_EXPIRES_MS = 40;
/** How long after its permit a request may go out without the server being told. */
const MAX_UNREPORTED_MS = 3;
/**
 * An answer that comes within this time shows that the request was not long on its way. Looked at only for permits that
 * were given at once: others are spaced anyway, and the pace must not depend on how fast the upstream is.
 */
const SLOW_ANSWER_MS = 50;
/** Maximum number of permits asked for at once. */
const MAX_WANTED = 500;
/** How often a replica reports that it is alive. */
const HEARTBEAT_MS = 1000;
/** Asked for instead of a number of permits by a replica that only reports that it is alive. */
const HEARTBEAT = -1;

interface ValkeyPermitsOptions {
  server: Server;
  base: string;
  /** The configured limit; undefined: it is learned. */
  perSecond: number | undefined;
  monotonic: Clock;
}

export function permitsInValkey({
  server,
  base,
  perSecond,
  monotonic,
}: ValkeyPermitsOptions): Permits {
  const replica = randomBytes(6).toString('base64url');
  const keys = [`${base}permits`, `${base}permits:given`];
  const channel = `${base}permits:room`;
  const clock = createServerClock(monotonic);
  const alone = createAlone(clock, monotonic);
  let standing: Standing = { limit: perSecond ?? Infinity, replicas: 1, rank: 0 };
  let learned = 0;
  let askCount = 0;
  /** Resolves once the server knows of all refusals: they have to count for permits that are asked for later. */
  let refusalsReported: Promise<unknown> = Promise.resolve();

  const giveBackId = (id: string) => void server.run(GIVE_BACK, keys, [id, channel]);

  async function ask(wanted: number): Promise<Granted | undefined> {
    await refusalsReported;
    askCount += 1;
    const id = `${replica}:${askCount}:`;
    const about = [wanted, replica, id, alone.hasGiven() ? 1 : 0];
    const sentAt = monotonic();
    // Permits that come too late are given back: nobody waits for them.
    const onLate = (reply: unknown) =>
      permitsIn(answer.safeParse(reply).data, id).forEach((one) => giveBackId(one.id));
    const reply = await server.run(TAKE, keys, [perSecond ?? 0, learned, ...about], onLate);
    const { data } = answer.safeParse(reply);
    if (!data) {
      alone.begin(standing);
      return undefined;
    }
    const [, at, , waitMs, limit, learnedLimit, replicas, rank] = data;
    clock.note(sentAt, at, monotonic());
    alone.end();
    learned = learnedLimit;
    standing = { limit: limit || Infinity, replicas, rank };
    return { permits: permitsIn(data, id), nextAt: monotonic() + waitMs };
  }

  const sendHeartbeat = () => void ask(HEARTBEAT);
  const timer = setInterval(sendHeartbeat, HEARTBEAT_MS).unref();
  server.onBack(sendHeartbeat);
  sendHeartbeat();

  return {
    async take(wanted) {
      return (await ask(Math.min(wanted, MAX_WANTED))) ?? alone.take();
    },
    leave: () => void ask(0),
    giveBack: ({ id }) => id && giveBackId(id),
    noteRefused({ at, earlier }, waitMs) {
      alone.pause(waitMs);
      refusalsReported = server.run(REFUSED, keys, [perSecond ?? 0, learned, at, earlier, waitMs]);
    },
    isLate: ({ at, id }) =>
      standing.limit !== Infinity &&
      clock.now() - at > (id === ALONE ? ALONE_EXPIRES_MS : PERMIT_EXPIRES_MS),
    noteSent({ at, id = ALONE }) {
      if (id !== ALONE && clock.now() - at > MAX_UNREPORTED_MS)
        void server.run(SENT, keys, [id, 0]);
    },
    noteAnswered({ at, id = ALONE, isAtOnce }) {
      if (isAtOnce && clock.now() - at > SLOW_ANSWER_MS) void server.run(SENT, keys, [id, 1]);
    },
    limit: () => standing.limit,
    onRoom(listener) {
      server.listen(channel, listener);
      server.onBack(listener);
    },
    close: () => clearInterval(timer),
  };
}

const count = z.number();
/** What TAKE returns. */
const answer = z.tuple([count, count, count, count, count, count, count, count, count]);

function permitsIn(data: z.infer<typeof answer> | undefined, id: string) {
  const [taken = 0, at = 0, given = 0] = data ?? [];
  const isAtOnce = data?.at(-1) === 1;
  return Array.from({ length: taken }, (_, i) => ({
    at,
    earlier: given + i,
    id: `${id}${i + 1}`,
    isAtOnce,
  })) satisfies Permit[];
}
