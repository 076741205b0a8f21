import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';

/** `npm start`: serves until a signal arrives, then shuts down gracefully. */

turnOnCompileCache();

/** Handles a signal. Until the server is ready, a signal ends the process at once. */
let onSignal = (_signal: string): unknown => process.exit(0);

/**
 * Stops, once, then ends the process: pending writes and retries must not keep a stopped process alive. After Ctrl-C
 * the shell of `npm start` ends, too, which tells the process a second time.
 */
const thenExit = (stop: (signal: string) => Promise<void>) => (signal: string) => {
  onSignal = () => undefined;
  return stop(signal)
    .catch((error: unknown) => {
      process.stderr.write(`marketgraph: ${String(error)}\n`);
      process.exitCode = 1;
    })
    .then(() => process.exit());
};

/** Whether this is a worker. Only its primary process decides when it ends, since a terminal signals all of them. */
const isWorker = process.argv[2] === '--worker';

// Registered first: a signal without a listener does not end the first process of a container. Later only `onSignal`
// is replaced: loading blocks the event loop, and a signal that arrives meanwhile is delivered only after it.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  if (isWorker) process.on(signal, () => undefined);
  else process.once(signal, () => onSignal(signal));
}

/**
 * Turns on Node's compile cache. It covers only modules loaded afterwards, so `main` imports the project's modules. The
 * cache is in the user's own folder, unless NODE_COMPILE_CACHE names another one: Node runs the code that it finds
 * there, and anybody can put files into a temporary folder.
 */
function turnOnCompileCache(): void {
  try {
    const home = homedir();
    // HOME may be anything: a relative path would be in the working folder, which may belong to anybody.
    if (isAbsolute(home)) enableCompileCache(join(home, '.cache', 'marketgraph'));
  } catch {
    // The user has no home folder: the code is compiled at each start.
  }
}

const USAGE = `usage: npm start
Starts the gateway, which serves until it receives a signal. It takes no arguments: environment variables configure it,
as in PORT=5000 npm start (README.md lists all of them).`;

async function endWithParent(): Promise<void> {
  const { onceParentEnds } = await import('./end-signals.ts');
  onceParentEnds(() => onSignal('SIGTERM'));
}

async function main(): Promise<void> {
  const { expectNoArguments } = await import('./config/arguments.ts');
  if (!isWorker) expectNoArguments(USAGE);
  const { readConfig } = await import('./config.ts');
  const config = readConfig(process.env);
  if (isWorker) {
    const { work } = await import('./workers/worker.ts');
    return work(config);
  }
  if (config.isStartedByNpm) await endWithParent();
  if (config.workers > 1) {
    const { lead } = await import('./workers/primary.ts');
    const { start, stop } = await lead(config, fileURLToPath(import.meta.url));
    onSignal = thenExit(stop);
    return start();
  }
  return serve(config);
}

/** Serves in this process alone. */
async function serve(config: Config): Promise<void> {
  const { prepare } = await import('./serve.ts');
  const { listenAdmin } = await import('./admin/listen.ts');
  const { createLog } = await import('./observe/log-output.ts');
  const { logStart } = await import('./observe/start-lines.ts');
  const log = createLog(config.logLevel);
  const { app, open, stop } = await prepare(config, log);
  // Before the port opens: a process that cannot start, or could not stop gracefully, must not serve anybody.
  const admin = await listenAdmin(app.admin, config.admin, log);
  onSignal = thenExit((signal) => {
    log.info(`${signal}: shutting down, finishing requests in flight`);
    return stop(async () => admin?.close());
  });
  logStart(log, config, await open(), app.sandbox);
}

// One readable line instead of a stack trace: most reasons why a start fails are a matter of configuration.
main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`marketgraph: ${message}\n`);
  process.exit(1);
});
