/** Returns how long this thread has worked since the last call, in milliseconds. */
export type Stopwatch = () => number;

/** Shorter intervals are measured by the clock: reading the processor time takes as long as a small operation. */
const MIN_CPU_MEASURED_MS = 1;

/** Starts a stopwatch that does not count the time for which this process waits for a processor on a busy machine. */
export function startStopwatch(): Stopwatch {
  let at = performance.now();
  let cpuMs = cpuTimeMs();
  /** Milliseconds measured by the clock since the processor time was last read. */
  let clockMs = 0;
  return () => {
    const now = performance.now();
    const ms = now - at;
    at = now;
    if (ms < MIN_CPU_MEASURED_MS) {
      clockMs += ms;
      return ms;
    }
    const before = cpuMs + clockMs;
    cpuMs = cpuTimeMs();
    clockMs = 0;
    return Math.max(0, cpuMs - before);
  };
}

function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
