import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm start`: serves until a signal comes, then stops in order. */

keepCompiledCode();

/** What a signal does; until all is ready, the process just ends. */
let onSignal = (_signal: string): unknown => process.exit(0);

/** What waits to be written, or to be tried again, must not keep a process that has stopped. */
const thenExit = (stop: (signal: string) => Promise<void>) => (signal: string) =>
  stop(signal)
    .catch((error: unknown) => {
      process.stderr.write(`marketgraph: ${String(error)}\n`);
      process.exitCode = 1;
    })
    .then(() => process.exit());

/** Started by another process of ours, which alone decides about its end: a terminal signals all of them. */
const isWorker = process.argv[2] === '--worker';

// From the start on: the first process of a container does not end by a signal that nobody listens for. The
// listeners stay, since what is loading keeps the process so busy that a signal is told only when it is over.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  if (isWorker) process.on(signal, () => undefined);
  else process.once(signal, () => onSignal(signal));
}

/**
 * Only what is loaded after this is kept: hence all of ours is imported in `main`. In the user's own folder, unless
 * NODE_COMPILE_CACHE names another one: Node runs what it finds there, and anybody can put files into a temporary folder.
 */
function keepCompiledCode(): void {
  try {
    const home = homedir();
    // HOME may be anything: a relative one is in the working folder, which may be anybody's.
    if (isAbsolute(home)) enableCompileCache(join(home, '.cache', 'marketgraph'));
  } catch {
    // A user without a home: it is compiled at each start.
  }
}

const USAGE = `usage: npm start
Serves until a signal comes. It takes no arguments: variables of the environment configure it, as in PORT=5000 npm start
(README.md has all of them).`;

async function main(): Promise<void> {
  const { takesNoArguments } = await import('./config/arguments.ts');
  if (!isWorker) takesNoArguments(USAGE);
  const { readConfig } = await import('./config.ts');
  const config = readConfig(process.env);
  if (isWorker) {
    const { work } = await import('./workers/worker.ts');
    return work(config);
  }
  if (config.workers > 1) {
    const { lead } = await import('./workers/primary.ts');
    const { start, stop } = await lead(config, fileURLToPath(import.meta.url));
    onSignal = thenExit(stop);
    return start();
  }
  const { prepare } = await import('./serve.ts');
  const { listenAdmin } = await import('./admin/listen.ts');
  const { createLog } = await import('./observe/log-output.ts');
  const { tellStart } = await import('./observe/start-lines.ts');
  const log = createLog(config.logLevel);
  const { app, open, stop } = await prepare(config, log);
  // First: nobody is served by what cannot start, or would not stop in order.
  const admin = await listenAdmin(app.admin, config.admin, log);
  onSignal = thenExit((signal) => {
    log.info(`${signal}: finishing what is running`);
    return stop(async () => admin?.close());
  });
  tellStart(log, config, await open(), app.sandbox);
}

// One readable line instead of a stack: why it cannot start is mostly a matter of configuration.
main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`marketgraph: ${message}\n`);
  process.exit(1);
});
