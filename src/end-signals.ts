/** When a process is told to end: by a signal, or because the shell in which npm has started it ends. */

type Environment = Readonly<Record<string, string | number | undefined>>;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LOOK_MS = 500;

/** A script of package.json, and the package's own command, that only start this program. */
const OWN_SCRIPT = /^node (src|dist)\/[^&|;]*$/;
const OWN_COMMAND = /^"?marketgraph\b[^&|;]*$/;

/**
 * Whether `npm start`, or a command like it, has started this process. Other scripts pass their variables on, too, to
 * whatever they start: that may be meant to run on after they have ended.
 */
export function isStartedByNpm(env: Environment): boolean {
  const script = `${env['npm_lifecycle_script'] ?? ''}`;
  const isOwn = env['npm_package_name'] === 'marketgraph' && OWN_SCRIPT.test(script);
  return isOwn || OWN_COMMAND.test(script);
}

/**
 * Calls `end` once the process that has started this one has ended. npm passes a signal only to the shell in which it
 * runs a script, and many shells end without passing it on: the script would run on, unnoticed, on its ports.
 */
export function onceParentEnds(end: () => unknown): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}

/** Calls `end` once, however many signals arrive. SIGHUP: the terminal has been closed. */
export function onceToldToEnd(env: Environment, end: () => unknown): void {
  let isTold = false;
  const tell = () => {
    if (!isTold) end();
    isTold = true;
  };
  for (const signal of SIGNALS) process.once(signal, tell);
  if (isStartedByNpm(env)) onceParentEnds(tell);
}
