import type { History, SlotRows } from '../shared/history.ts';
import { COLUMNS, type Counts, REPLICAS, rowOf, zeros } from '../observe/tallies.ts';
import { minuteAt } from '../time.ts';

/** What was asked of each dataset and how it was answered, as counted by all replicas. */

export interface DatasetReport {
  dataset: string;
  month: Counts;
  /** Counts of the current hour and the one before. */
  recent: Counts;
}

interface Hours {
  from: number;
  to: number;
  now: number;
}

/** Reads the counts of each dataset. Rejects if they cannot be read now. */
export function readDatasets(
  history: Pick<History, 'read'>,
  datasets: readonly string[],
  { from, to, now }: Hours,
): Promise<DatasetReport[]> {
  return Promise.all(
    datasets.map(async (dataset) => {
      const rows = await history.read(rowOf(dataset), Math.min(from, now - 1));
      return { dataset, month: sumOf(rows, from, to), recent: sumOf(rows, now - 1, now + 1) };
    }),
  );
}

function sumOf(rows: SlotRows, from: number, to: number): Counts {
  const wanted = [...rows].filter(([hour]) => hour >= from && hour < to);
  const sum = (index: number) => wanted.reduce((all, [, row]) => all + (row[index] ?? 0), 0);
  const counts = zeros();
  for (const [index, column] of COLUMNS.entries()) counts[column] = sum(index);
  return counts;
}

/** Number of processes that have reported in this minute or the one before; at least 1, since this one runs. */
export async function countReplicas(history: Pick<History, 'read'>, now: number): Promise<number> {
  const minute = minuteAt(now);
  const rows = await history.read(REPLICAS, minute - 1);
  const counts = [minute - 1, minute].map((one) => rows.get(one)?.[0] ?? 0);
  return Math.max(1, ...counts);
}
