import { z } from 'zod';
import { monthNamed } from '../spending/calendar.ts';
import { type Clock, monthAt } from '../time.ts';
import { type PageFiles, readAssets } from './assets.ts';
import { createRows, type ReadRows, spentCsv } from './csv.ts';
import { createReports, type ReportOptions } from './report.ts';
import { hoursOf } from './spent.ts';

/** The page for whoever pays: the state of the month, live, from what all replicas have stored. */
export interface Console {
  /** The page and the files that it loads, which hold no figures; undefined if there is no such file. */
  file(name: string): Content | undefined;
  /** The figures of a month (YYYY-MM; null: the current one); undefined if it is not a month, or lies in the future. */
  report(month: string | null): Promise<Content> | undefined;
  /** Who has spent what in a month, as CSV; undefined as above. */
  csv(month: string | null): Promise<Content> | undefined;
  /** Reads the CSV rows of some hours. */
  rows: ReadRows;
}

export interface Content {
  type: string;
  /** In pieces if it may be long. */
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
    report: forMonth(options, async (month) => ({
      type: 'application/json',
      body: JSON.stringify(await reports(month)),
    })),
    csv: forMonth(options, (month) => csvOf(month, timezone, rows)),
    rows,
  };
}

/** The CSV of a month. Rejects if it cannot be read now. */
export async function csvOf(month: string, timezone: string, rows: ReadRows): Promise<Content> {
  const body = await spentCsv(hoursOf(monthNamed(month, timezone)), rows);
  return { type: 'text/csv; charset=utf-8', body };
}

/** Returns a function that looks up the page and the files that it loads. */
export function consoleFile(): Console['file'] {
  let files: PageFiles | undefined;
  return (name) => {
    // The files are not read before the first browser asks.
    files ??= readAssets();
    const body = Object.hasOwn(files, name) ? files[name] : undefined;
    return body === undefined ? undefined : { type: typeOf(name), body };
  };
}

const typeOf = (name: string) => TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';

const monthName = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

/** Returns a function that reads the month that a text names (null: the current one); undefined as in `Console`. */
export const forMonth =
  (
    { now, timezone }: { now: Clock; timezone: string },
    read: (month: string) => Promise<Content>,
  ): Console['report'] =>
  (text) => {
    const current = monthAt(now(), timezone);
    const { success, data } = monthName.safeParse(text ?? current);
    return success && data <= current ? read(data) : undefined;
  };
