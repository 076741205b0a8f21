import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import type { Member } from './admin/member.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { App } from './embed.ts';
import { GRACE_MS } from './time.ts';
import { listen } from './transport/node.ts';

/** One process that serves. */
export interface Serving {
  app: App;
  /** Opens the port; gives the address. */
  open(): Promise<string>;
  /** Stops in order; `beside` is closed along with the port. */
  stop(beside?: () => Promise<void>): Promise<void>;
}

/** Makes all ready but the port. Rejects with ConfigError for what cannot be used. */
export async function prepare(config: Config, log: Logger, member?: Member): Promise<Serving> {
  keepYoung();
  // By default Node would end the process, and with it what all others have asked for.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unexpected error'));
  const app = await createApp(config, { log, ...(member && { member }) });
  await app.warmUp();
  // One that is killed could not do so at its end; this takes no time where the cache is filled already.
  flushCompileCache();
  let server: Awaited<ReturnType<typeof listen>> | undefined;

  return {
    app,
    async open() {
      server = await listen(app, config.host, config.port);
      saveMemory();
      return server.url;
    },
    async stop(beside) {
      // Load balancers send nothing more once they have asked whether this process is ready.
      app.drain();
      if (config.drainMs > 0) await pause(config.drainMs);
      app.stop();
      const end = performance.now() + GRACE_MS;
      await Promise.all([server?.close(GRACE_MS), beside?.()]);
      await app.close(Math.max(0, end - performance.now()));
    },
  };
}

/**
 * V8 learns in the first seconds that parsed documents last, since the first ones are kept. It would put all later ones
 * among the objects that last, too, where only a collection of everything finds them, which holds the process for long.
 * Not before all is loaded: with any other flag, Node's own modules are compiled anew.
 */
function keepYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

function saveMemory(): void {
  // An operation's objects die with it: letting V8 grow its young generation would only take memory.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Answers that wait for their clients survive for a while: V8 would let the heap grow to four times
  // what is in use before it looks for what is not, here by half as much again.
  setFlagsFromString('--heap-growing-percent=50');
}
