import { once } from 'node:events';
import pino from 'pino';
import { ConfigError, readConfig } from '../config.ts';
import { createRows, spentCsv } from '../console/csv.ts';
import { asksForHelp } from '../config/arguments.ts';
import { commandLine, endWithReader } from './command-line.ts';
import { asError } from '../maybe.ts';
import { openSharedState } from '../shared/open.ts';
import type { ReadSpent } from '../shared/units.ts';
import { HOURS_PER_DAY } from '../spending/calendar.ts';
import { parseDay, type Span } from '../time.ts';

/** `npm run spent`: who has spent what, as CSV. */

const USAGE = `usage: ${commandLine('spent')} [FROM [TO]]
Prints who has spent what, as CSV: hour (UTC), meter, client, operation, dataset, units. FROM and TO are
UTC days such as 2026-11-01, both inclusive; the default is the last 30 days. Reads the data of DATA_DIR or SHARED_URL.`;

/** The days that the arguments name, or what is wrong with them. */
function daysIn([from, to, ...others]: readonly string[]): Span | string {
  const today = new Date().toISOString().slice(0, 10);
  const end = parseDay(to ?? today);
  if (end === undefined) return `TO: ${to} is not a day such as 2026-11-01`;
  const start = from === undefined ? end - 29 : parseDay(from);
  if (start === undefined) return `FROM: ${from} is not a day such as 2026-11-01`;
  if (start > end) return `FROM: ${from} is after ${to ?? 'today'}`;
  return others.length > 0 ? `unexpected arguments after TO: ${others.join(' ')}` : { start, end };
}

/** Prints the lines of these days. Rejects if they cannot be read; the error names the variable that says where. */
async function printSpent({ start, end }: Span, spent: ReadSpent, source: string): Promise<void> {
  const hours = { from: start * HOURS_PER_DAY, to: (end + 1) * HOURS_PER_DAY };
  try {
    for await (const text of await spentCsv(hours, createRows(spent)))
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  } catch (error) {
    throw new ConfigError(`${source}: ${asError(error).message}`);
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const days = daysIn(args);
  if (typeof days === 'string') {
    process.stderr.write(`${days}\n${USAGE}\n`);
    return 2;
  }
  const config = readConfig(process.env);
  if (!config.upstream)
    throw new ConfigError('GROUP_A_URL: must be set (units spent in the sandbox are not kept)');
  // Cached answers are not needed here.
  const { units, close } = await openSharedState(
    { ...config, keptMaxBytes: 0 },
    { now: Date.now, monotonic: Date.now, log: pino({ level: 'silent' }), isReport: true },
  );
  try {
    const source = config.sharedUrls.length > 0 ? 'SHARED_URL' : 'DATA_DIR';
    await printSpent(days, units.spent, source);
  } finally {
    await units.close();
    await close();
  }
  return 0;
}

endWithReader();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`marketgraph: ${asError(error).message}\n`);
  process.exitCode = 1;
}
