import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Values } from '../observe/metrics.ts';

/** Combines the metrics of several processes as if they were one. */

/** The metrics of one process. */
interface Told {
  /** The number of the worker; `primary` for the primary process. */
  worker: string;
  values: Values;
}

interface Sums {
  /** The sums as Prometheus text. A worker missing in `told` counts with its last known values. */
  text(told: readonly Told[]): Promise<string>;
  /** Notes that a worker has ended: its last known counts stay in the sums, since counters must not decrease. */
  retire(worker: string): void;
}

export function createSums(): Sums {
  const last = new Map<string, Values>();
  /** Counts of workers that have ended; merged into one in the background. */
  const gone: Values[] = [];
  let addingUp: Promise<void> = Promise.resolve();

  async function addUp(): Promise<void> {
    const parts = [...gone];
    gone.splice(0, parts.length, await join(parts).getMetricsAsJSON());
  }

  return {
    text(told) {
      for (const { worker, values } of told) last.set(worker, values.map(exact));
      const all = [...last].toSorted(inOrder).map(([worker, values]) => labelled(values, worker));
      return join([...all, ...gone]).metrics();
    },
    retire(worker) {
      gone.push((last.get(worker) ?? []).filter(isCounted));
      last.delete(worker);
      addingUp = addingUp.then(addUp);
    },
  };
}

/** Sorts by worker number, whichever was up first; `primary` comes last. */
const inOrder = ([one]: [string, Values], [other]: [string, Values]) =>
  one.localeCompare(other, 'en', { numeric: true });

const join = (all: readonly Values[]) => AggregatorRegistry.aggregate([...all]);

type Metric = MetricObjectWithValues<MetricValue<string>>;

const COUNTED = new Set(['counter', 'histogram']);
const isCounted = ({ type }: Metric) => COUNTED.has(String(type));

/**
 * Counts are rounded down to multiples of 2^-20, whose sums are exact in whatever order they are added. Otherwise a
 * counter might seem to decrease in its last digit.
 */
const UNITS_IN_ONE = 2 ** 20;

function exact(metric: Metric): Metric {
  if (!isCounted(metric)) return metric;
  const values = metric.values.map((one) => ({
    ...one,
    value: Math.floor(one.value * UNITS_IN_ONE) / UNITS_IN_ONE,
  }));
  return { ...metric, values };
}

/** Metrics that make sense only for single processes: not added up, but shown per worker, labeled with its number. */
const OF_ONE = /^(nodejs_eventloop_lag_.*|process_start_time_seconds|process_max_fds)$/;

const labelled = (values: Values, worker: string): Values =>
  values.map((metric) => (OF_ONE.test(metric.name) ? ofOne(metric, worker) : metric));

const ofOne = (metric: Metric, worker: string): Metric => ({
  ...metric,
  aggregator: 'sum',
  values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
});
