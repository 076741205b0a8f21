import { whenAll } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import { MINUTE_MS, minuteAt } from '../time.ts';
import { addCosts, type Costs, costsFrom, emptyCosts } from './cost-curve.ts';
import type { History, SlotRows } from '../shared/history.ts';

/** What past hours cost, as all processes have noted it. */

/** How far back the rhythm is learned from, in hours: five weeks. */
const LEARNED_HOURS = 35 * 24;
/** How often rows are read again for what others have added, in milliseconds; only those of the last hours. */
const REREAD_INTERVAL_MS = 300_000;
const RECENT_HOURS = 3;

/** Rows of costs by hour, under the meter's name, to which all processes add. */
export type SpendingHistory = Pick<History, 'add' | 'read'>;

export interface Rows {
  /** Returns since when there are rows, as wall time: the first row may cover only part of an hour. */
  began(): number;
  add(hour: number, costs: Costs): void;
  /** Returns the rows of all processes, by hour. */
  all(): ReadonlyMap<number, Costs>;
  /** Reads what others have added, if that is due. */
  refresh(monotonicNow: number, hour: number): void;
  /** Whether the first read of the history has ended, with or without success. */
  isReady(): boolean;
  /** Whether a read has succeeded. */
  isKnown(): boolean;
  /** Returns a number that changes whenever rows that others have added were read. */
  version(): number;
}

/** Names the row whose slot is the minute at which rows began: the process that finds no rows writes it. */
const beginningsOf = (meter: Meter) => `${meter} began`;

/** The rows of one meter, as this process sees them; `startedAt`: wall time. */
export function createRows(meter: Meter, history: SpendingHistory, startedAt: number): Rows {
  const rows = new Map<number, Costs>();
  /** What this process has added since the read in progress began, which may not include it. */
  let unseen: [hour: number, costs: Costs][] = [];
  let readAt = -Infinity;
  let version = 0;
  /** The hour of the last read. */
  let readTo = -Infinity;
  let isReading = false;
  let isReady = false;
  let began: number | undefined;

  const isKnown = () => readTo > -Infinity;

  function addTo(hour: number, costs: Costs): void {
    const row = rows.get(hour) ?? emptyCosts();
    addCosts(row, costs);
    rows.set(hour, row);
  }

  function takeBeginning(read: SlotRows, beginnings: SlotRows): void {
    if (read.size > 0) return void (began = Math.max(...beginnings.keys()) * MINUTE_MS);
    began = startedAt;
    history.add(beginningsOf(meter), minuteAt(startedAt), [1]);
  }

  function take(read: SlotRows): void {
    const before = [...read.keys()].map((hour) => [hour, rows.get(hour)] as const);
    for (const [hour, row] of read) rows.set(hour, costsFrom(row));
    for (const [hour, costs] of unseen) addTo(hour, costs);
    if (version === 0 || before.some(([hour, row]) => differ(row, rows.get(hour)))) version += 1;
    end();
  }

  function end(): void {
    unseen = [];
    isReading = false;
    isReady = true;
  }

  function forget(before: number): void {
    for (const hour of rows.keys()) if (hour < before) rows.delete(hour);
  }

  return {
    began: () => began ?? startedAt,
    add(hour, costs) {
      history.add(meter, hour, [...costs]);
      addTo(hour, costs);
      if (isReading) unseen.push([hour, costs]);
    },
    all: () => rows,
    refresh(monotonicNow, hour) {
      // If the clock has been set back, rows that were forgotten count again.
      if (isReading || (hour >= readTo && monotonicNow - readAt < REREAD_INTERVAL_MS)) return;
      readAt = monotonicNow;
      forget(hour - LEARNED_HOURS);
      // From some hours before the last read on; everything, if the clock has been set back.
      const from = hour < readTo ? -Infinity : readTo - RECENT_HOURS;
      const wanted = [history.read(meter, Math.max(hour - LEARNED_HOURS, from))];
      if (began === undefined) wanted.push(history.read(beginningsOf(meter), 0));
      const read = whenAll(wanted);
      const takeTo = ([found, beginnings]: readonly SlotRows[]) => {
        readTo = hour;
        if (beginnings) takeBeginning(found!, beginnings);
        take(found!);
      };
      if (!(read instanceof Promise)) return takeTo(read);
      isReading = true;
      // After a failure, the same rows are read the next time; until then this process uses its own.
      read.then(takeTo, () => {
        // Without the history the stretch is not what it was: the next decision reads again.
        if (!isKnown()) readAt = -Infinity;
        end();
      });
    },
    isReady: () => isReady,
    isKnown,
    version: () => version,
  };
}

/** Whether two rows differ by more than rounding errors. */
const differ = (a: Costs | undefined, b: Costs | undefined): boolean =>
  a === undefined || b === undefined || a.some((value, i) => Math.abs(value - b[i]!) > 1e-6);
