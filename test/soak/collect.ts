import { writeHeapSnapshot } from 'node:v8';

/**
 * Loaded into the gateway of a soak before the gateway itself (`node --expose-gc --import`): on each message it
 * collects all garbage and answers how many bytes of heap are in use. If the message is a path, it also writes a heap
 * snapshot there.
 */

process.on('message', (path: string) => {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  if (path !== '') writeHeapSnapshot(path);
  process.send?.(heapUsed);
});
process.on('disconnect', () => process.exit(1));
// The channel must not keep a gateway alive that has stopped.
process.channel?.unref();
