import { z } from 'zod';
import { monthNamed } from '../spending/calendar.ts';
import { type Clock, monthAt } from '../time.ts';
import { type PageFiles, readAssets } from './assets.ts';
import { createRows, type ReadRows, spentCsv } from './csv.ts';
import { createReports, type ReportOptions } from './report.ts';
import { hoursOf } from './spent.ts';

/** The page for the one who pays: how the month stands, live. It is made of what all replicas have stored. */
export interface Console {
  /** The page and what it loads, which tell nothing; undefined: there is no such file. */
  file(name: string): Content | undefined;
  /** What it shows of a month (YYYY-MM; null: the current one); undefined where that is no month. */
  report(month: string | null): Promise<Content> | undefined;
  /** Who has spent what in a month, as CSV. */
  csv(month: string | null): Promise<Content> | undefined;
  /** Some rows of it. */
  rows: ReadRows;
}

export interface Content {
  type: string;
  /** In pieces where it may be long. */
  body: string | AsyncIterable<string>;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export function createConsole(options: ReportOptions): Console {
  const { ledger, timezone } = options;
  const reports = createReports(options);
  const rows = createRows(ledger.spent);

  return {
    file: consoleFile(),
    report(wanted) {
      const month = monthIn(wanted, options);
      return month === undefined
        ? undefined
        : reports(month).then((report) => ({
            type: 'application/json',
            body: JSON.stringify(report),
          }));
    },
    csv(wanted) {
      const month = monthIn(wanted, options);
      return month === undefined ? undefined : csvOf(month, timezone, rows);
    },
    rows,
  };
}

/** Rejects where it cannot be read now. */
export async function csvOf(month: string, timezone: string, rows: ReadRows): Promise<Content> {
  const body = await spentCsv(hoursOf(monthNamed(month, timezone)), rows);
  return { type: 'text/csv; charset=utf-8', body };
}

/** The page and what it loads. */
export function consoleFile(): Console['file'] {
  let files: PageFiles | undefined;
  return (name) => {
    // Nothing is read before the first browser asks.
    files ??= readAssets();
    const body = Object.hasOwn(files, name) ? files[name] : undefined;
    return body === undefined ? undefined : { type: typeOf(name), body };
  };
}

const typeOf = (name: string) => TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';

const monthName = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

/** A month for which there may be something, or undefined. */
export function monthIn(
  text: string | null,
  { now, timezone }: { now: Clock; timezone: string },
): string | undefined {
  const current = monthAt(now(), timezone);
  if (text === null) return current;
  const { success, data } = monthName.safeParse(text);
  return success && data <= current ? data : undefined;
}
