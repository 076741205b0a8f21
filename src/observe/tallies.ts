import type { History } from '../shared/history.ts';
import { type Clock, hourAt, minuteAt } from '../time.ts';
import type { OperationEnd } from '../pipeline/request.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import type { ObserveRepeated, RepeatsObserver } from './batch.ts';

/**
 * Counts, by dataset and hour, what was asked and how it was answered. The counts of all replicas are
 * stored together, and outlive them: the console shows them.
 */
export interface Tallies {
  operations: RepeatsObserver;
  observeRequest(end: RequestEnd): void;
  /** Returns the datasets for which anything was counted here. */
  datasets(): string[];
  /** Stores what was counted, so that it can be read. */
  flush(): void;
  /** Stores them for the last time. */
  close(): void;
}

/** The columns of a dataset's row. */
export const COLUMNS = [
  /** Questions that were answered; for each of them a gateway without a cache would send an upstream request. */
  'questions',
  /** Those that were cache hits. */
  'hits',
  /** Those that were answered with data past their time to live. */
  'stale',
  /** Sum of the ages of all answers. */
  'ageMs',
  /** Requests that were sent to the upstream. */
  'requests',
  /** Those that failed. */
  'failed',
  /** Sum of the durations of all requests. */
  'durationMs',
] as const;

/** What was counted for a dataset in some period. */
export type Counts = Record<(typeof COLUMNS)[number], number>;

export const zeros = (): Counts =>
  Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Counts;

export const rowOf = (dataset: string) => `dataset ${dataset}`;

/** The row that counts replicas, by minutes since 1970 instead of hours: each process adds one to every minute. */
export const REPLICAS = 'replicas';

/** How often counts are stored. */
const FLUSH_MS = 2000;

/** `beforeReading`: called before counts are read, so that observers are notified of what is pending. */
export function createTallies(
  history: Pick<History, 'add' | 'flush'>,
  now: Clock,
  beforeReading: () => void,
): Tallies {
  const counted = new Map<string, Counts>();
  let hour = hourAt(now());
  let minute = 0;

  function countsOf(dataset: string): Counts {
    const known = counted.get(dataset);
    if (known) return known;
    const counts = zeros();
    counted.set(dataset, counts);
    return counts;
  }

  function flush(): void {
    for (const [dataset, counts] of counted) {
      const row = COLUMNS.map((column) => counts[column]);
      if (row.every((count) => count === 0)) continue;
      history.add(rowOf(dataset), hour, row);
      Object.assign(counts, zeros());
    }
  }

  /** Stores what was counted when a new hour begins: counts belong to the hour in which they were made. */
  function startHour(at: number): void {
    if (hourAt(at) === hour) return;
    flush();
    hour = hourAt(at);
  }

  function beat(): void {
    flush();
    if (minuteAt(now()) === minute) return;
    minute = minuteAt(now());
    history.add(REPLICAS, minute, [1]);
  }

  function noteOperation(end: OperationEnd): void {
    const { at } = end;
    // A dry run answers nothing, and would not have sent a request without a cache, either.
    if (end.operation?.estimate) return;
    startHour(at);
    const isKept = end.by === 'kept answer' && end.joined === 0;
    for (const { dataset, retrievedAt, isHit, isStale } of end.served) {
      const counts = countsOf(dataset);
      counts.questions += 1;
      if (isHit || isKept) counts.hits += 1;
      if (isStale) counts.stale += 1;
      counts.ageMs += Math.max(0, at - retrievedAt);
    }
  }

  function repeats({ served }: OperationEnd): ObserveRepeated {
    const all = served.map(({ dataset, retrievedAt }) => ({
      counts: countsOf(dataset),
      retrievedAt,
    }));
    return ({ at }) => {
      startHour(at);
      for (const { counts, retrievedAt } of all) {
        counts.questions += 1;
        counts.hits += 1;
        counts.ageMs += Math.max(0, at - retrievedAt);
      }
    };
  }

  beat();
  const timer = setInterval(beat, FLUSH_MS).unref();

  return {
    operations: { ended: noteOperation, repeats },
    observeRequest({ dataset, meter, wasSent, result, durationMs }) {
      if (!wasSent || meter === undefined) return;
      startHour(now());
      const counts = countsOf(dataset);
      counts.requests += 1;
      if (result !== 'ok') counts.failed += 1;
      counts.durationMs += durationMs;
    },
    datasets: () => [...counted.keys()],
    flush() {
      beforeReading();
      flush();
      history.flush();
    },
    close() {
      clearInterval(timer);
      flush();
      // A process that replaces this one at once counts itself in the same minute.
      history.add(REPLICAS, minute, [-1]);
    },
  };
}
