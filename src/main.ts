import { enableCompileCache, flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/** `npm start`: serves until a signal comes, then stops in order. */

// Only what is loaded after this is cached: hence all of ours is imported in `main`.
enableCompileCache();

/** How long requests may take to finish after a signal, our clients' and our own upstream together. */
const GRACE_MS = 3000;

/** What a signal does; until it serves, the process just ends. */
let onSignal = (_signal: string): unknown => process.exit(0);

// From the start on: the first process of a container does not end by a signal that nobody listens for. The
// listeners stay, since what is loading keeps the process so busy that a signal is told only when it is over.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => onSignal(signal));

async function main(): Promise<void> {
  const { readConfig } = await import('./config.ts');
  const { createApp } = await import('./app.ts');
  const { listen } = await import('./transport/node.ts');
  const { listenAdmin } = await import('./admin/listen.ts');
  const { createLog } = await import('./observe/log-output.ts');
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const app = await createApp(config, { log });
  await app.warmUp();
  // One that is killed could not do so at its end; this takes no time where the cache is filled already.
  flushCompileCache();
  const server = await listen(app, config.host, config.port);
  const admin = await listenAdmin(app.admin, config.admin, log);
  if (app.sandbox) log.info('SANDBOX: all data are synthetic');
  const hasPage = config.studio && !config.persistedOnly;
  log.info(`GraphQL${hasPage ? ' and the Studio' : ''} at ${server.url}/graphql`);
  // An operation's objects die with it: letting V8 grow its young generation would only take memory.
  setFlagsFromString('--semi-space-growth-factor=1');
  // Answers that wait for their clients survive for a while: V8 would let the heap grow to four times
  // what is in use before it looks for what is not, here by half as much again.
  setFlagsFromString('--heap-growing-percent=50');

  onSignal = async (signal) => {
    log.info(`${signal}: finishing what is running`);
    // Load balancers send nothing more once they have asked whether this process is ready.
    app.drain();
    server.drain();
    if (config.drainMs > 0) await pause(config.drainMs);
    app.stop();
    const end = performance.now() + GRACE_MS;
    await Promise.all([server.close(GRACE_MS), admin?.close()]);
    await app.close(Math.max(0, end - performance.now()));
  };
}

// One readable line instead of a stack: why it cannot start is mostly a matter of configuration.
main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`marketgraph: ${message}\n`);
  process.exit(1);
});
