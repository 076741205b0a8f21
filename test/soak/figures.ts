import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Family, readExposition } from '../observe/exposition.ts';
import { medianOf } from './trend.ts';

/** The figures that are measured of the gateway: metrics, and the size of its files. */

export type Metrics = ReadonlyMap<string, Family>;

export async function readMetrics(adminUrl: string): Promise<Metrics> {
  const response = await fetch(`${adminUrl}/metrics`);
  return readExposition(await response.text());
}

/** The sum of a metric over its labels. */
export const total = (
  metrics: Metrics,
  name: string,
  labels: Record<string, string> = {},
): number =>
  (metrics.get(name)?.samples ?? [])
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);

interface Moment {
  metrics: Metrics;
  fileBytes: number;
}

export interface Figure {
  name: string;
  unit: 'MiB' | 'ms' | '';
  /** Whether it is only reported, not judged: it depends on what clients do, or another figure bounds it. */
  isInformational?: boolean;
  of(moment: Moment): number;
}

const MIB = 2 ** 20;
const metric =
  (name: string, scale = 1) =>
  ({ metrics }: Moment) =>
    total(metrics, name) * scale;

const STREAMS = ['marketgraph_open_event_streams', 'marketgraph_open_websockets'];
/** The metric without the connections of listeners, which come and go. */
const withoutStreams =
  (name: string) =>
  ({ metrics }: Moment) =>
    STREAMS.reduce((left, streams) => left - total(metrics, streams), total(metrics, name));

export const OPEN_FILES = 'open files without streams';

/** Measured once a window, after collecting all garbage. */
export const COLLECTED: readonly Figure[] = [
  { name: 'heap in use', unit: 'MiB', of: metric('nodejs_heap_size_used_bytes', 1 / MIB) },
  {
    name: 'memory outside the heap',
    unit: 'MiB',
    of: metric('nodejs_external_memory_bytes', 1 / MIB),
  },
];

/** Sampled every few seconds; the median of a window counts. */
export const SAMPLED: readonly Figure[] = [
  { name: 'resident memory', unit: 'MiB', of: metric('process_resident_memory_bytes', 1 / MIB) },
  { name: OPEN_FILES, unit: '', of: withoutStreams('process_open_fds') },
  { name: 'handles without streams', unit: '', of: withoutStreams('nodejs_active_handles_total') },
  {
    name: 'resources without streams',
    unit: '',
    of: withoutStreams('nodejs_active_resources_total'),
  },
  {
    name: 'event loop delay p50',
    unit: 'ms',
    of: metric('nodejs_eventloop_lag_p50_seconds', 1000),
  },
  {
    name: 'event loop delay p99',
    unit: 'ms',
    of: metric('nodejs_eventloop_lag_p99_seconds', 1000),
  },
  { name: 'files', unit: 'MiB', of: ({ fileBytes }) => fileBytes / MIB },
  { name: 'cache', unit: 'MiB', of: metric('marketgraph_cache_bytes', 1 / MIB) },
  // The cache is bounded in bytes.
  {
    name: 'cache entries',
    unit: '',
    of: metric('marketgraph_cache_entries'),
    isInformational: true,
  },
  {
    name: 'documents',
    unit: 'MiB',
    of: metric('marketgraph_documents_bytes', 1 / MIB),
  },
  {
    name: 'open subscriptions',
    unit: '',
    of: metric('marketgraph_open_subscriptions'),
    isInformational: true,
  },
];

export function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true });
  const sizes = files.map((file) => {
    const path = join(file.parentPath, file.name);
    return file.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Values by the names of their figures. */
export type Values = Record<string, number>;

export const valuesOf = (figures: readonly Figure[], moment: Moment): Values =>
  Object.fromEntries(figures.map(({ name, of }) => [name, of(moment)]));

export const mediansOf = (samples: readonly Values[]): Values =>
  Object.fromEntries(
    SAMPLED.map(({ name }) => [name, medianOf(samples.map((sample) => sample[name]!))]),
  );
