import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Values } from '../observe/metrics.ts';

/** Combines the metrics of several processes as if they were one. */

/** The metrics of one process. */
interface ProcessMetrics {
  /** The number of the worker; `primary` for the primary process. */
  worker: string;
  values: Values;
}

interface Sums {
  /** The sums as Prometheus text. Of a worker missing in `processes` only the counts are included, as last known. */
  text(processes: readonly ProcessMetrics[]): Promise<string>;
  /** Notes that a worker has ended: its last known counts stay in the sums, since counters must not decrease. */
  retire(worker: string): void;
}

export function createSums(): Sums {
  const last = new Map<string, Values>();
  /** Counts of workers that have ended; merged into one in the background. */
  const ended: Values[] = [];
  let merging: Promise<void> = Promise.resolve();

  async function mergeEnded(): Promise<void> {
    const parts = [...ended];
    ended.splice(0, parts.length, await aggregate(parts).getMetricsAsJSON());
  }

  return {
    text(processes) {
      for (const { worker, values } of processes) last.set(worker, values.map(roundDown));
      const answering = new Set(processes.map(({ worker }) => worker));
      const all = [...last]
        .toSorted(byWorker)
        .map(([worker, values]) =>
          labeled(answering.has(worker) ? values : values.filter(isCumulative), worker),
        );
      return aggregate([...all, ...ended]).metrics();
    },
    retire(worker) {
      ended.push((last.get(worker) ?? []).filter(isCumulative));
      last.delete(worker);
      merging = merging.then(mergeEnded);
    },
  };
}

/** Sorts by worker number, whichever was up first; `primary` comes last. */
const byWorker = ([one]: [string, Values], [other]: [string, Values]) =>
  one.localeCompare(other, 'en', { numeric: true });

const aggregate = (all: readonly Values[]) => AggregatorRegistry.aggregate([...all]);

type Metric = MetricObjectWithValues<MetricValue<string>>;

const CUMULATIVE_TYPES = new Set(['counter', 'histogram']);
const isCumulative = ({ type }: Metric) => CUMULATIVE_TYPES.has(String(type));

/**
 * Counts are rounded down to multiples of 2^-20, whose sums are exact in whatever order they are added. Otherwise a
 * counter might seem to decrease in its last digit.
 */
const PRECISION = 2 ** 20;

function roundDown(metric: Metric): Metric {
  if (!isCumulative(metric)) return metric;
  const values = metric.values.map((one) => ({
    ...one,
    value: Math.floor(one.value * PRECISION) / PRECISION,
  }));
  return { ...metric, values };
}

/** Metrics that make sense only for single processes: not added up, but shown per worker, labeled with its number. */
const PER_WORKER = /^(nodejs_eventloop_lag_.*|process_start_time_seconds|process_max_fds)$/;

const labeled = (values: Values, worker: string): Values =>
  values.map((metric) => (PER_WORKER.test(metric.name) ? withWorkerLabel(metric, worker) : metric));

const withWorkerLabel = (metric: Metric, worker: string): Metric => ({
  ...metric,
  aggregator: 'sum',
  values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
});
