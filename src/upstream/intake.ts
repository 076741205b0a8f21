import { createFairQueue } from './fair-queue.ts';
import type { Maybe } from '../maybe.ts';

/**
 * Resolves when a body that has arrived may be read; `clients` are those that wait for it. Reading a long body takes
 * milliseconds in which nothing else is served: if several arrive together, one is read in each round of the event
 * loop, for the clients in turn.
 */
export type Intake = (body: string | Error, clients: ReadonlySet<string>) => Maybe<void>;

/** From how many characters a body is long. Shorter ones are read in less time than they would wait. */
const LONG_BODY_CHARACTERS = 32_768;

interface Waiting {
  clients: ReadonlySet<string>;
  resolve(): void;
}

/** `endOfRound`: resolves at the end of this round of the event loop. */
export function createIntake(endOfRound: () => Promise<void>): Intake {
  const waiting = createFairQueue<Waiting>();
  let isLettingIn = false;

  async function letIn(): Promise<void> {
    isLettingIn = true;
    for (let [next] = waiting.take(1); next; [next] = waiting.take(1)) {
      next.resolve();
      await endOfRound();
    }
    isLettingIn = false;
  }

  return (body, clients) => {
    if (typeof body !== 'string' || body.length < LONG_BODY_CHARACTERS) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add({ clients, resolve });
    if (!isLettingIn) void letIn();
    return promise;
  };
}
