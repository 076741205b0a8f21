import { writeHeapSnapshot } from 'node:v8';

/**
 * Loaded into the gateway of a soak before the gateway itself (`node --expose-gc --import`): when it is asked, it
 * collects all garbage, and says how many bytes of heap are left. A path asks for a heap snapshot there, too.
 */

process.on('message', (path: string) => {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  if (path !== '') writeHeapSnapshot(path);
  process.send?.(heapUsed);
});
process.on('disconnect', () => process.exit(1));
// A gateway that has stopped must not be kept alive by whoever asks.
process.channel?.unref();
