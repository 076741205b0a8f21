import { cpus } from 'node:os';
import type { Measured } from './speed-hot.ts';
import { isMet, ratio, type Results, type Verdict, verdicts } from './speed-targets.ts';

/** Writes the results as a page of Markdown. */

export function report(results: Results): string {
  const { hot, cold, starts, first, memory, flat } = results;
  const hotRows = [...hot].flatMap(([name, measured]) =>
    measured.map((one, i) => hotRow(i === 0 ? name : '', one, measured)),
  );
  return [
    '# Speed',
    '',
    `\`npm run bench\` on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}.`,
    'Each server is one process. They are started several times and take turns in several rounds, and figures are',
    'medians of those. How many times as fast as another server the gateway is: by requests/s or by CPU, whichever is',
    'worse for it.',
    '',
    ...table(['case', 'server', 'requests/s', 'gateway is', 'CPU per request'], hotRows),
    '',
    ...table(
      ['cold page, 20 ms upstream', 'p50'],
      Object.entries(cold).map(([name, ms]) => [name, `${ms.toFixed(1)} ms`]),
    ),
    '',
    ...table(
      ['page of a newly started process', 'median'],
      Object.entries(first).map(([which, ms]) => [which, `${ms.toFixed(1)} ms`]),
    ),
    '',
    ...table(
      ['start to first answer', 'median'],
      [
        ['bundle', `${starts.bundle.toFixed(0)} ms`],
        ['sources', `${starts.sources.toFixed(0)} ms`],
      ],
    ),
    '',
    ...table(
      ['memory after all load', 'resident'],
      [...memory].map(([name, size]) => [name, mib(size)]),
    ),
    '',
    `${flat.requests} distinct requests, cache of ${mib(flat.cacheMaxBytes / 2 ** 20)}: resident after each eighth ${flat.residentMiB.map(mib).join(', ')}.`,
    '',
    ...table(['target', 'measured', 'required', ''], verdicts(results).map(verdictRow)),
    '',
  ].join('\n');
}

function hotRow(name: string, one: Measured, all: readonly Measured[]): string[] {
  const times = one.server === 'gateway' ? '' : `${ratio(all, one.server).toFixed(2)} x`;
  const cpu = `${one.cpuMicros.toFixed(0)} µs`;
  return [name, one.server, one.perSecond.toFixed(0), times, cpu];
}

function verdictRow(verdict: Verdict): string[] {
  const { what, value, side, bound, unit } = verdict;
  const is = unit ? value.toFixed(0) : value.toFixed(2);
  return [what, is + unit, `${side} ${bound}${unit}`, isMet(verdict) ? 'met' : '**missed**'];
}

function mib(size: number): string {
  return `${size.toFixed(0)} MiB`;
}

/** Columns as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
