import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readAsked } from '../packing.ts';
import type { Asked, Taken } from '../shared.ts';
import { createFlightNews } from './flight-news.ts';
import { CLAIM, IS_UNDER_WAY, RELEASE } from './flight-scripts.ts';
import type { Server } from './server.ts';

/** Which process fetches what, on a server: claims, and how others wait for the end of a flight. */

/** How often to check whether a flight is over: news of it comes by subscription, and may be lost. */
const POLL_MS = 100;
/**
 * How long what ends a flight waits for a server that is away: most of the time it is back soon, and until then others
 * would wait for this flight, and perhaps pay again for its answer.
 */
const MAX_AWAY_MS = 1000;

/** A claim that was granted: of what was asked for, perhaps extended. */
interface Granted {
  token: string;
  asked: Asked;
}

export function createFlights(
  server: Server,
  { base, channel }: { base: string; channel: string },
) {
  const news = createFlightNews(server, channel);
  const flightsOf = (key: string) => `${base}flights:${key}`;

  async function whenThere(): Promise<void> {
    if (server.isAway()) await server.ready(MAX_AWAY_MS);
  }

  /** Ends a flight; if that fails, it ends with its lease. */
  async function release(key: string, token: string): Promise<void> {
    await whenThere();
    await server.run(RELEASE, [flightsOf(key)], [token, channel]);
  }

  async function whenOver(key: string, token: string, leftMs: number): Promise<void> {
    const until = performance.now() + leftMs;
    while (performance.now() < until) {
      if (await news.isOver(token, Math.min(POLL_MS, until - performance.now()))) return;
      if ((await server.run(IS_UNDER_WAY, [flightsOf(key)], [token])) !== 1) return;
    }
  }

  /** Returns undefined if the server does not answer. */
  async function claim(
    key: string,
    asked: Asked,
    leaseMs: number,
    instead: readonly string[] = [],
  ): Promise<Granted | Taken | undefined> {
    const token = randomUUID();
    const reply = await server.run(
      CLAIM,
      [flightsOf(key), `${base}wants:${key}`, ...instead.map(flightsOf)],
      [token, JSON.stringify(asked), leaseMs, channel],
      () => void release(key, token),
    );
    const { data: other } = taken.safeParse(reply);
    if (other) {
      const [i, inTheWay, leftMs] = other;
      return { isOurs: false, over: whenOver(instead[i] ?? key, String(inTheWay), leftMs) };
    }
    const { data: ours } = granted.safeParse(reply);
    return ours && { token, asked: readAsked(String(ours[1])) ?? asked };
  }

  return { of: flightsOf, isAwaited: news.isAwaited, claim, release, whenThere };
}

const buffer = z.instanceof(Buffer);
/** Which of `instead` is being fetched, else -1; the token of that flight; how long it lasts at most, in milliseconds. */
const taken = z.tuple([z.number(), buffer, z.number()]);
/** An empty text, and what was claimed, extended by the wants of others. */
const granted = z.tuple([buffer, buffer]);
