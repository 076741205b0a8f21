import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import type { Values } from '../observe/metrics.ts';

/** Metrics of several processes as those of one. */

/** What one process tells. */
interface Told {
  /** The number of the worker; `primary` for the process that leads them. */
  worker: string;
  values: Values;
}

interface Sums {
  /** In the form of Prometheus. A worker that is missing counts as it was last told of. */
  text(told: readonly Told[]): Promise<string>;
  /** A worker has ended: what it was last told to have counted stays in the sums, since counters must not fall. */
  retire(worker: string): void;
}

export function createSums(): Sums {
  const last = new Map<string, Values>();
  /** What those that have ended had counted; added up when there is time. */
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

/** By number, whichever worker was up first; `primary` after them. */
const inOrder = ([one]: [string, Values], [other]: [string, Values]) =>
  one.localeCompare(other, 'en', { numeric: true });

const join = (all: readonly Values[]) => AggregatorRegistry.aggregate([...all]);

type Metric = MetricObjectWithValues<MetricValue<string>>;

const COUNTED = new Set(['counter', 'histogram']);
const isCounted = ({ type }: Metric) => COUNTED.has(String(type));

/**
 * Counted values are rounded down to multiples of 2^-20. Sums of these are exact whatever the order of adding; else a
 * counter might seem to fall by its last digit.
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

/** These make sense for single processes only: not added up, but shown for each worker, labelled with its number. */
const OF_ONE = /^(nodejs_eventloop_lag_.*|process_start_time_seconds|process_max_fds)$/;

const labelled = (values: Values, worker: string): Values =>
  values.map((metric) => (OF_ONE.test(metric.name) ? ofOne(metric, worker) : metric));

const ofOne = (metric: Metric, worker: string): Metric => ({
  ...metric,
  aggregator: 'sum',
  values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
});
