import { ask, isUnauthenticated, type Reply, type Sent, subscribe } from './client.ts';
import type { Answer } from './document.ts';

/** Runs one operation at a time: a question once, live updates until somebody stops them. */

export interface RunEvents {
  onStart(isLive: boolean): void;
  onReply(reply: Reply): void;
  /** An event of a subscription. */
  onUpdate(answer: Answer): void;
  /** Live updates have broken off, as when the gateway is started anew: they are asked for again. */
  onBreak(): void;
  /** The gateway did not answer. */
  onFailure(message: string): void;
  /** `isStopped`: by somebody, before it was over. */
  onEnd(isStopped: boolean): void;
}

const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 15_000;

/** Browsers say nothing of why a request failed: TypeError is what they throw where nothing came back. */
const reasonOf = (error: unknown) =>
  error instanceof TypeError
    ? 'The gateway cannot be reached. Run it again once it can.'
    : `The gateway did not answer: ${error instanceof Error ? error.message : String(error)}`;

/** Refusals that pass by themselves. */
const PASSING = new Set<unknown>(['OVERLOADED', 'TOO_MANY_SUBSCRIPTIONS']);
const passes = ({ errors }: Answer) =>
  errors?.some(({ extensions }) => PASSING.has(extensions?.code)) ?? false;

/** Ends earlier where somebody stops what waits. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export type RunHeaders = Readonly<Record<string, string>>;

export function createRunner(events: RunEvents) {
  let running: AbortController | undefined;

  /** Where updates have come and break off they are asked for again; a first connection that fails is a failure. */
  async function follow(sent: Sent, headers: RunHeaders, signal: AbortSignal): Promise<void> {
    let wasLive = false;
    let pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        for await (const answer of subscribe(sent, headers, signal)) {
          if (wasLive && passes(answer)) throw new Error('refused for now');
          wasLive = true;
          pauseMs = FIRST_PAUSE_MS;
          events.onUpdate(answer);
          if (isUnauthenticated(answer)) return;
        }
        return;
      } catch (error) {
        if (!wasLive || signal.aborted) throw error;
      }
      events.onBreak();
      await pause(pauseMs, signal);
      pauseMs = Math.min(MOST_PAUSE_MS, 2 * pauseMs);
    }
  }

  async function run(sent: Sent, headers: RunHeaders, isLive: boolean): Promise<void> {
    running?.abort();
    const own = (running = new AbortController());
    const { signal } = own;
    events.onStart(isLive);
    let reply: Reply | undefined;
    try {
      if (isLive) await follow(sent, headers, signal);
      else reply = await ask(sent, headers, signal);
    } catch (error) {
      if (!signal.aborted) events.onFailure(reasonOf(error));
    }
    if (running !== own) return;
    running = undefined;
    try {
      if (reply && !signal.aborted) events.onReply(reply);
    } finally {
      events.onEnd(signal.aborted);
    }
  }

  return {
    run,
    stop(): void {
      running?.abort();
    },
    /** The same, and nothing is told of it any more. */
    abandon(): void {
      running?.abort();
      running = undefined;
    },
    isRunning: () => running !== undefined,
  };
}
