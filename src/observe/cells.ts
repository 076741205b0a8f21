import { Counter, type Histogram, type Registry } from 'prom-client';

/**
 * Counters and histograms for the hot path of every answer. Those of the library look their labels up anew each
 * time, which takes a microsecond; here each caller keeps a cell for its labels, and the cells are put together
 * when metrics are read.
 */

/** The count for one set of labels. */
export interface Cell {
  count: number;
}

interface About<L extends string> {
  registry: Registry;
  name: string;
  help: string;
  labelNames: readonly L[];
}

type Labels<L extends string> = Readonly<Record<L, string>>;

/** Returns a function that makes the cells of a counter: one for each set of labels, never two for the same set. */
export function createCounter<L extends string>(about: About<L>): (labels: Labels<L>) => Cell {
  const { registry, name, help, labelNames } = about;
  const cells: { labels: Labels<L>; cell: Cell; reported: number }[] = [];
  void new Counter<L>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      for (const one of cells) {
        if (one.cell.count > one.reported) this.inc(one.labels, one.cell.count - one.reported);
        one.reported = one.cell.count;
      }
    },
  });
  return (labels) => {
    const cell = { count: 0 };
    cells.push({ labels, cell, reported: 0 });
    return cell;
  };
}

/** Adds a value to a histogram. */
export type Note = (value: number) => void;

/** Does the same for a histogram; `buckets` are the upper bounds, in order. */
export function createHistogram<L extends string>({
  buckets,
  ...about
}: About<L> & { buckets: readonly number[] }): (labels: Labels<L>) => Note {
  const { registry, name, help, labelNames } = about;
  const series: (() => Sample[])[] = [];
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: series.flatMap((samples) => samples()),
  });
  // The library has no way to add to a histogram what was counted elsewhere.
  const metric = { name, help, labelNames, get, reset: () => undefined };
  registry.registerMetric(metric as unknown as Histogram);
  return (labels) => {
    const counts = new Float64Array(buckets.length + 1);
    let sum = 0;
    series.push(() => samplesOf({ name, labels, buckets }, counts, sum));
    return (value) => {
      let i = 0;
      while (i < buckets.length && value > buckets[i]!) i += 1;
      counts[i]! += 1;
      sum += value;
    };
  };
}

interface Sample {
  metricName: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** `counts`: how many values lie between one bound and the next; the last: how many lie above all of them. */
function samplesOf(
  { name, labels, buckets }: { name: string; labels: Sample['labels']; buckets: readonly number[] },
  counts: Float64Array,
  sum: number,
): Sample[] {
  let total = 0;
  const bounds = [...buckets.map(String), '+Inf'];
  const all = bounds.map((le, i) => {
    total += counts[i]!;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
  });
  return [
    ...all,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
