import { createBoundedMap } from '../bounded-map.ts';
import { descriptionOf, type Group, type Meter, METERS, perMeter } from '../meters.ts';
import type { History } from '../shared/history.ts';
import { type Month, monthNamed } from '../spending/calendar.ts';
import type { Forecast } from '../spending/forecast.ts';
import { type Clock, dayAt, hourAt, startOf } from '../time.ts';
import type { Ledger } from '../usage/units.ts';
import { countReplicas, type DatasetReport, readDatasets } from './datasets.ts';
import { type Spenders, spendersOf } from './spenders.ts';
import { createMonthSums, type Dimension, hoursOf, type MonthSums, type Sums } from './spent.ts';

/** Everything that the console shows of one month. Times are in milliseconds since 1970. */
export interface Report {
  at: number;
  month: MonthReport;
  sandbox: boolean;
  /** Number of processes that share the account. */
  replicas: number;
  /** The groups of the upstream that refuse our key, as far as this process knows. */
  keyRefusedBy: readonly Group[];
  /** Whether the state that all processes share can be read and written: else meters with a limit may spend nothing. */
  store: 'ok' | 'unusable';
  meters: readonly MeterReport[];
  spenders: Record<Dimension, Spenders>;
  datasets: readonly DatasetReport[];
}

interface MonthReport extends Month {
  /** YYYY-MM. */
  name: string;
  isCurrent: boolean;
  timezone: string;
  /** When each of its days begins. */
  days: readonly number[];
}

interface MeterReport {
  meter: Meter;
  /** E.g. `FX quota of Group A.` */
  description: string;
  used: number;
  limit: number | null;
  /** What can still be spent of the allowance or the balance, whichever is less; null if neither is known. */
  left: number | null;
  forecast: Forecast | null;
  /** Hours since 1970 in which something was spent, and how many units. */
  hours: readonly (readonly [hour: number, units: number])[];
}

export interface ReportOptions {
  ledger: Pick<Ledger, 'states' | 'allowance' | 'spent'>;
  governors: Record<Meter, { forecast(): Forecast | null }>;
  history: Pick<History, 'read'>;
  /** Counts of this process: `datasets` lists those with any, `flush` stores the counts. */
  tallies: { datasets(): readonly string[]; flush(): void };
  keyRefusedBy(): Group[];
  canCount(): boolean;
  sandbox: boolean;
  timezone: string;
  now: Clock;
}

/** Reports on a month (YYYY-MM). Rejects if the store cannot be read now. */
type MakeReport = (month: string) => Promise<Report>;

/** How long a report is served again, so that many viewers do not read the store more often. */
const MAX_AGE_MS = 1000;
/** Maximum number of months whose sums are kept in memory. */
const MAX_MONTHS = 3;

export function createReports(options: ReportOptions): MakeReport {
  const { timezone, now } = options;
  const sums = createBoundedMap<string, MonthSums>(MAX_MONTHS);
  const made = createBoundedMap<string, { at: number; report: Promise<Report> }>(MAX_MONTHS);

  function sumsOf(month: Month, name: string): MonthSums {
    const known = sums.get(name) ?? createMonthSums(month, timezone, options.ledger.spent);
    sums.set(name, known);
    return known;
  }

  async function make(name: string, at: number): Promise<Report> {
    options.tallies.flush();
    const month = monthNamed(name, timezone);
    const parts = await sumsOf(month, name).read(hourAt(at));
    const hours = { ...hoursOf(month), now: hourAt(at) };
    const spenders = {
      client: spendersOf(parts, 'client'),
      operation: spendersOf(parts, 'operation'),
      dataset: spendersOf(parts, 'dataset'),
    };
    const names = new Set([...options.tallies.datasets(), ...spenders.dataset.most.map(nameOf)]);
    const replicas = await countReplicas(options.history, at);
    // The month may have ended while its figures were read.
    const isCurrent = now() >= month.start && now() < month.end;
    return {
      at,
      month: { ...month, name, isCurrent, timezone, days: daysOf(month, timezone) },
      sandbox: options.sandbox,
      replicas,
      keyRefusedBy: options.keyRefusedBy(),
      store: options.canCount() ? 'ok' : 'unusable',
      meters: metersOf(parts, isCurrent, options),
      spenders,
      datasets: await readDatasets(options.history, [...names].toSorted(), hours),
    };
  }

  return (name) => {
    const at = now();
    const last = made.get(name);
    if (last && at - last.at < MAX_AGE_MS && at >= last.at) return last.report;
    // Reports of a month are made one after the other, so that its settled hours are added up only once.
    const report = (last?.report.catch(() => undefined) ?? Promise.resolve()).then(() =>
      make(name, at),
    );
    made.set(name, { at, report });
    return report;
  };
}

const nameOf = ({ name }: { name: string }) => name;

function daysOf({ start, end }: Month, timezone: string): number[] {
  const [first, last] = [dayAt(start, timezone), dayAt(end - 1, timezone)];
  return Array.from({ length: last - first + 1 }, (_, i) => startOf(first + i, timezone));
}

/** For a past month, only what was spent is known. */
function metersOf(parts: readonly Sums[], isCurrent: boolean, options: ReportOptions) {
  const states = options.ledger.states();
  const hours = perMeter((meter) => parts.flatMap((part) => [...part.hours[meter]]));
  return METERS.map((meter): MeterReport => {
    const { usedThisMonth, limit } = states[meter];
    const description = descriptionOf(meter);
    const about = { meter, description, hours: hours[meter].toSorted(([a], [b]) => a - b) };
    if (isCurrent) {
      const forecast = options.governors[meter].forecast();
      const { left } = options.ledger.allowance(meter);
      return { ...about, used: usedThisMonth, limit, left, forecast };
    }
    const used = hours[meter].reduce((sum, [, units]) => sum + units, 0);
    return { ...about, used, limit: null, left: null, forecast: null };
  });
}
