import { setTimeout as sleep } from 'node:timers/promises';
import {
  bytesBelow,
  COLLECTED,
  mediansOf,
  readMetrics,
  SAMPLED,
  type Values,
  valuesOf,
} from './figures.ts';
import type { Gateway } from './gateway.ts';

/** Measures a gateway while it works, in windows, each with the medians of its samples. */

export const WINDOWS = 60;
const SAMPLES = 12;
const MIN_PAUSE_MS = 500;

interface Watching {
  gateway: Gateway;
  durationMs: number;
  /** Called after each window; measuring goes on when it has settled. */
  onWindow(window: Values, index: number): Promise<void>;
}

/** Returns one entry for each window. */
export async function watch({ gateway, durationMs, onWindow }: Watching): Promise<Values[]> {
  const { adminUrl, folder, child } = gateway;
  const began = performance.now();
  const pauseMs = Math.max(MIN_PAUSE_MS, durationMs / WINDOWS / SAMPLES);
  const windows: Values[] = [];
  const moment = async () => ({
    metrics: await readMetrics(adminUrl),
    fileBytes: bytesBelow(folder),
  });
  for (let index = 0; index < WINDOWS; index += 1) {
    const endsAt = began + ((index + 1) * durationMs) / WINDOWS;
    const samples: Values[] = [];
    do {
      await sleep(Math.max(0, Math.min(pauseMs, endsAt - performance.now())));
      samples.push(valuesOf(SAMPLED, await moment()));
    } while (performance.now() < endsAt);
    await child.ask('');
    const window = { ...mediansOf(samples), ...valuesOf(COLLECTED, await moment()) };
    windows.push(window);
    await onWindow(window, index);
  }
  return windows;
}
