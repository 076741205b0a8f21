import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Watched } from './watch.ts';

/** What was measured during each attack, as a table. */

export interface Figures {
  name: string;
  /** Processor time of the gateway for the attack, without what the watching costs. */
  cpuMs: number;
  peakMiB: number;
  /** How long the attack took, until the gateway was calm again. */
  ms: number;
  watched: Watched;
  /** What happened to the gateway, if something did. */
  end: string;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const HEAD = [
  'attack',
  'took',
  'processor',
  'memory',
  'without /health',
  'idle server',
  'hot p50',
  'hot p99',
  'cold p50',
  'cold max',
  'failed',
  'end',
];

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

function row({ name, cpuMs, peakMiB, ms: took, watched, end }: Figures): string[] {
  const { healthGap, idleGap, hot, cold, failed } = watched;
  const times = [
    healthGap,
    idleGap,
    percentile(hot, 0.5),
    percentile(hot, 0.99),
    percentile(cold, 0.5),
    percentile(cold, 1),
  ];
  const size = `${peakMiB.toFixed(0)} MB`;
  return [name, ms(took), ms(cpuMs), size, ...times.map(ms), String(failed.length), end];
}

export function tableOf(all: readonly Figures[]): string {
  const rows = [HEAD, ...all.map(row)];
  const widths = HEAD.map((_, i) => Math.max(...rows.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** Writes results.md. */
export function writeResults(all: readonly Figures[]): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  const page = [
    '# Attacks',
    '',
    `\`npm run test:attacks -- --write\` on ${machine}, Node ${process.versions.node}. Each attack has a gateway of`,
    'its own. Beside it another client asks `/health` and a question whose answer is kept every 15 ms, and one',
    'that nobody has asked before every 500 ms; "idle server" is the longest wait for a server that does nothing.',
    '',
    tableOf(all),
    '',
  ];
  writeFileSync(fileURLToPath(new URL('results.md', import.meta.url)), page.join('\n'));
}
