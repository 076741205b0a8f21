import { ask, isUnauthenticated, passes, type Reply, type Sent, subscribe } from './client.ts';
import type { Answer } from './document.ts';

/** Runs one operation at a time: a question once, live updates until somebody stops them. */

interface RunEvents {
  onStart(isLive: boolean): void;
  onReply(reply: Reply): void;
  /** Called for each event of a subscription. */
  onUpdate(answer: Answer): void;
  /** Called when live updates have broken off, as when the gateway restarts, before connecting again. */
  onBreak(): void;
  /** Called when the gateway did not answer. */
  onFailure(message: string): void;
  /** `isStopped`: whether somebody stopped the run before it was over. */
  onEnd(isStopped: boolean): void;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/** Browsers do not say why a request failed: they throw a TypeError if nothing came back. */
const reasonOf = (error: unknown) =>
  error instanceof TypeError
    ? 'The gateway cannot be reached. Run again once it is back.'
    : `The gateway did not answer: ${error instanceof Error ? error.message : String(error)}`;

/** Resolves after `ms`, or as soon as `signal` aborts. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

type RunHeaders = Readonly<Record<string, string>>;

export function createRunner(events: RunEvents) {
  let running: AbortController | undefined;

  /** Connects again whenever updates that have begun break off; a first connection that fails is not retried. */
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
      pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs);
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
    /** Stops the run, and calls no further events for it. */
    abandon(): void {
      running?.abort();
      running = undefined;
    },
    isRunning: () => running !== undefined,
  };
}
