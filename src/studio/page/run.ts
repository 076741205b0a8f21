import { ask, isUnauthenticated, type Reply, type Sent, subscribe } from './client.ts';
import type { Answer } from './document.ts';

/** Runs one operation at a time: a question once, live updates until somebody stops them. */

export interface RunEvents {
  onStart(isLive: boolean): void;
  onReply(reply: Reply): void;
  /** An event of a subscription. */
  onUpdate(answer: Answer): void;
  /** The gateway did not answer. */
  onFailure(message: string): void;
  onEnd(): void;
}

export type RunHeaders = Readonly<Record<string, string>>;

export function createRunner(events: RunEvents) {
  let running: AbortController | undefined;

  async function follow(sent: Sent, headers: RunHeaders, signal: AbortSignal): Promise<void> {
    for await (const answer of subscribe(sent, headers, signal)) {
      events.onUpdate(answer);
      if (isUnauthenticated(answer)) return;
    }
  }

  async function run(sent: Sent, headers: RunHeaders, isLive: boolean): Promise<void> {
    running?.abort();
    const own = (running = new AbortController());
    const { signal } = own;
    events.onStart(isLive);
    try {
      if (isLive) await follow(sent, headers, signal);
      else {
        const reply = await ask(sent, headers, signal);
        if (!signal.aborted) events.onReply(reply);
      }
    } catch (error) {
      if (!signal.aborted) events.onFailure(error instanceof Error ? error.message : String(error));
    }
    if (running !== own) return;
    running = undefined;
    events.onEnd();
  }

  return {
    run,
    stop(): void {
      running?.abort();
    },
    isRunning: () => running !== undefined,
  };
}
