import { createMemoryHistory } from '../spending/memory-history.ts';
import type { Outcome } from './month-cache.ts';
import { largestChanges, runGovernor } from './month-governor.ts';
import { runClairvoyant, runFree, runSplit } from './month-ways.ts';
import { createWorld } from './month-world.ts';
import type { World } from './month-world.ts';

/**
 * A virtual month of 15,000 questions and its surprises, with an allowance of 100, 50, 25 and 10 % of what free
 * spending and a second spender take: spent freely, in equal shares for each day, by the governor, and with the
 * constant stretch that a clairvoyant would have chosen. The six months begin on five different weekdays.
 *
 *   npm run bench:month
 */

const PERCENT = [100, 50, 25, 10];
const MONTHS = ['2026-06', '2026-08', '2026-11', '2026-07', '2026-05', '2026-02'];
const TARGETS = { ratio: 1.15, unused: 0.05, change: 1.25 };

const print = (line = ''): void => void process.stdout.write(`${line}\n`);
const column = (value: string | number, width: number): string => String(value).padStart(width);
const day = (dayNumber: number | null): string =>
  dayNumber === null ? 'never' : `day ${dayNumber}`;
const factor = (value: number): string => value.toFixed(2);
const whole = (value: number): string => Math.round(value).toLocaleString('en');

interface Run {
  allowance: number;
  free: Outcome;
  split: Outcome;
  governor: ReturnType<typeof runGovernor>;
  clairvoyant: ReturnType<typeof runClairvoyant>;
  changes: ReturnType<typeof largestChanges>;
}

function runAll(world: World, percent: number): Run {
  const allowance = Math.round(((runFree(world).units + world.elsewhere.length) * percent) / 100);
  const governor = runGovernor(world, allowance);
  return {
    allowance,
    free: runFree(world, allowance),
    split: runSplit(world, allowance),
    governor,
    clairvoyant: runClairvoyant(world, allowance),
    changes: largestChanges(world, governor.stretches),
  };
}

function printTable(percent: number, run: Run): void {
  print(`\n${percent} %: ${whole(run.allowance)} units for the gateway and the second spender`);
  const titles = ['', 'units', 'ran out', 'refused', 'mean age', '95th', 'unused'];
  print(titles.map((title, i) => (i === 0 ? ' '.repeat(14) : column(title, 12))).join(''));
  for (const name of ['free', 'split', 'governor', 'clairvoyant'] as const) {
    const { units, exhaustedOn, refused, meanAge, age95, unused } = run[name];
    const cells = [
      units,
      day(exhaustedOn),
      refused,
      `${whole(meanAge)} s`,
      `${whole(age95)} s`,
      unused,
    ];
    print(`  ${name.padEnd(12)}${cells.map((cell) => column(cell, 12)).join('')}`);
  }
  const maxStretch = Math.max(...run.governor.stretches);
  print(
    `  stretch: the clairvoyant's ${factor(run.clairvoyant.stretch)}, the governor's up to ${factor(maxStretch)};`,
  );
  const { firstDay, later } = run.changes;
  print(`  largest change in an hour: ${factor(later)}, on the first day ${factor(firstDay)}`);
}

/** The worst of all months. */
const worst = (runs: readonly Run[], of: (run: Run) => number): number => Math.max(...runs.map(of));

function check(text: string, holds: boolean): void {
  print(`  ${holds ? 'holds' : 'FAILS'}  ${text}`);
  if (!holds) process.exitCode = 1;
}

function checkAll(percent: number, runs: readonly Run[]): void {
  print(`\n${percent} %, the worst of ${runs.length} months`);
  const stretch = worst(runs, ({ governor }) => Math.max(...governor.stretches));
  if (percent === 100) check(`stretch exactly 1 all month: at most ${stretch}`, stretch === 1);
  const refused = worst(runs, ({ governor }) => governor.refused);
  check(`no question refused for lack of units: ${refused}`, refused === 0);
  const unused = worst(runs, ({ governor, allowance }) => governor.unused / allowance);
  check(`at most 5 % unused: ${(unused * 100).toFixed(2)} %`, unused <= TARGETS.unused);
  const over = worst(runs, ({ governor, clairvoyant }) => governor.meanAge / clairvoyant.meanAge);
  check(`mean age at most 1.15 times the clairvoyant's: ${factor(over)}`, over <= TARGETS.ratio);
  const overSplit = worst(runs, ({ governor, split }) => governor.meanAge / split.meanAge);
  check(`mean age below the even split's: ${factor(overSplit)} times`, overSplit < 1);
  const largestChange = worst(runs, ({ changes }) => changes.later);
  check(
    `no change above a quarter in an hour: ${factor(largestChange)}`,
    largestChange <= TARGETS.change,
  );
}

/** Runs a month with the history of the month before. */
function printSecondMonth(percent: number): void {
  const history = createMemoryHistory();
  const [first, second] = [1, 2].map((seed) => createWorld({ seed, month: `2026-0${seed + 5}` }));
  if (!first || !second) return;
  const share = (world: World): number =>
    Math.round(((runFree(world).units + world.elsewhere.length) * percent) / 100);
  runGovernor(first, share(first), history);
  const { meanAge } = runGovernor(second, share(second), history);
  const best = runClairvoyant(second, share(second)).meanAge;
  print(`  ${percent} %: mean age ${factor(meanAge / best)} times the clairvoyant's`);
}

const worlds = MONTHS.map((month, i) => createWorld({ seed: i + 1, month }));
const runs = PERCENT.map((percent) => worlds.map((world) => runAll(world, percent)));
print(`${MONTHS[0]}: ${whole(worlds[0]!.questions.length)} questions`);
for (const [i, percent] of PERCENT.entries()) printTable(percent, runs[i]![0]!);
for (const [i, percent] of PERCENT.entries()) checkAll(percent, runs[i]!);
print('\na second month, with the history of the first');
for (const percent of [25, 10]) printSecondMonth(percent);
