import { createFairQueue } from './fair-queue.ts';
import type { Maybe } from '../maybe.ts';

/**
 * Resolves when a body that has come may be read, `clients` being those that wait for it. To read a long one takes
 * milliseconds, in which nobody else is served: of those that come together one is read in each round of the event loop,
 * for one client after the other.
 */
export type Intake = (body: string | Error, clients: ReadonlySet<string>) => Maybe<void>;

/** In characters. Shorter ones are read in less time than they would wait. */
const LONG = 32_768;

interface Waiting {
  clients: ReadonlySet<string>;
  resolve(): void;
}

/** `endOfRound`: resolves at the end of this round of the event loop. */
export function createIntake(endOfRound: () => Promise<void>): Intake {
  const waiting = createFairQueue<Waiting>();
  let isTaken = false;

  async function letIn(): Promise<void> {
    isTaken = true;
    for (let [next] = waiting.take(1); next; [next] = waiting.take(1)) {
      next.resolve();
      await endOfRound();
    }
    isTaken = false;
  }

  return (body, clients) => {
    if (typeof body !== 'string' || body.length < LONG) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add({ clients, resolve });
    if (!isTaken) void letIn();
    return promise;
  };
}
