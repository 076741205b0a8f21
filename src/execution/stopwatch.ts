/** Tells how long this thread has worked since it was last asked, in milliseconds. */
export type Stopwatch = () => number;

/** Shorter intervals are taken from the clock: reading the processor time takes as long as a small operation. */
const SHORT_MS = 1;

/** On a busy machine the clock goes on while this process waits for a processor: such times are not counted. */
export function startStopwatch(): Stopwatch {
  let at = performance.now();
  let worked = workedMs();
  /** What was taken from the clock since the processor time was read. */
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
