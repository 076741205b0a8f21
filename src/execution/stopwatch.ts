/** Returns how long this thread has worked since the last call, in milliseconds. */
export type Stopwatch = () => number;

/** Shorter intervals are measured by the clock: reading the processor time takes as long as a small operation. */
const SHORT_MS = 1;

/** Starts a stopwatch that does not count the time for which this process waits for a processor on a busy machine. */
export function startStopwatch(): Stopwatch {
  let at = performance.now();
  let worked = workedMs();
  /** Milliseconds measured by the clock since the processor time was last read. */
  let byClock = 0;
  return () => {
    const now = performance.now();
    const ms = now - at;
    at = now;
    if (ms < SHORT_MS) {
      byClock += ms;
      return ms;
    }
    const before = worked + byClock;
    worked = workedMs();
    byClock = 0;
    return Math.max(0, worked - before);
  };
}

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
