import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { type AppOptions, createApp } from './app.ts';
import type { Config } from './config.ts';
import type { App } from './embed.ts';
import { GRACE_MS } from './time.ts';
import { listen } from './transport/node.ts';

/** A process that serves the port. */
export interface Serving {
  app: App;
  /** Opens the port; resolves with its address. */
  open(): Promise<string>;
  /** Shuts down gracefully. `alongside` is called when the port closes, to close something along with it. */
  stop(alongside?: () => Promise<void>): Promise<void>;
}

/** Prepares everything but the port. Rejects with ConfigError if something configured cannot be used. */
export async function prepare(config: Config, log: Logger, options?: AppOptions): Promise<Serving> {
  disablePretenuring();
  // By default Node would end the process, and with it the operations of all clients.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unexpected error'));
  const app = await createApp(config, { ...options, log });
  await app.warmUp();
  // Now, since a process that is killed cannot do so when it ends; it takes no time if the cache is filled already.
  flushCompileCache();
  let server: Awaited<ReturnType<typeof listen>> | undefined;

  return {
    app,
    async open() {
      server = await listen(app, config.host, config.port);
      limitHeapGrowth();
      return server.url;
    },
    async stop(alongside) {
      // A load balancer sends no more requests once it has seen that /ready fails.
      app.drain();
      if (config.drainMs > 0) await pause(config.drainMs);
      app.stop();
      const deadline = performance.now() + GRACE_MS;
      await Promise.all([server?.close(GRACE_MS), alongside?.()]);
      await app.close(Math.max(0, deadline - performance.now()));
    },
  };
}

/**
 * Turns off pretenuring. In the first seconds V8 learns that parsed documents are long-lived, since the first ones are
 * cached. It would allocate all later ones in the old generation, too, where only a full collection, a long pause,
 * frees them. Call it after everything is loaded: with a changed flag, Node's own modules are compiled again.
 */
function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

function limitHeapGrowth(): void {
  // An operation's objects die with it: a larger young generation would only take memory.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Answers that wait for slow clients survive for a while: V8 would let the heap grow to four times the bytes in use
  // before a full collection; with this flag, to one and a half times.
  setFlagsFromString('--heap-growing-percent=50');
}
