import type { First } from './speed-first.ts';
import type { Flat } from './speed-flat.ts';
import type { Measured, Name } from './speed-hot.ts';
import { SAME_HOP } from './speed-cold.ts';
import type { Starts } from './speed-start.ts';

/** The targets of the speed benchmark, and whether a run met them. */

export interface Results {
  hot: ReadonlyMap<string, readonly Measured[]>;
  cold: Readonly<Record<string, number>>;
  starts: Starts;
  first: First;
  /** Resident memory after all load, in MiB. */
  memory: ReadonlyMap<Name, number>;
  flat: Flat;
}

export interface Verdict {
  what: string;
  value: number;
  /** On which side of the bound the value has to be. */
  side: 'at least' | 'at most';
  bound: number;
  unit: string;
}

export function isMet({ value, side, bound }: Verdict): boolean {
  return side === 'at least' ? value >= bound : value <= bound;
}

/** Beginning and end of a case's name, another server, and how many times as fast the gateway must be. */
const RATIOS: readonly (readonly [string, string, Name, number])[] = [
  ['hot page', 'POST', 'raw', 0.7],
  ['hot page', 'GET', 'raw', 0.7],
  ['hot page', 'POST', 'mercurius', 5],
  ['hot page', 'POST', 'apollo', 30],
  ['hot list', 'POST', 'raw', 0.7],
  ['hot list', 'GET', 'raw', 0.7],
  ['hot list', 'POST', 'mercurius', 5],
  ['hot list', 'POST', 'apollo', 30],
  ['hot small', 'POST', 'raw', 0.7],
  ['hot small', 'GET', 'raw', 0.7],
  ['warm small', 'new variables', 'mercurius', 1],
  ['warm list', 'new variables', 'mercurius', 2],
  ['warm list', 'new variables', 'apollo', 2],
];

/**
 * How many times as fast the gateway is: by requests per second or by CPU, whichever is worse for it.
 * If a server is fast, the load generator limits its requests per second.
 */
export function ratio(measured: readonly Measured[], other: Name): number {
  const of = (name: Name) => measured.find(({ server }) => server === name);
  const [ours, theirs] = [of('gateway'), of(other)];
  if (!ours || !theirs) return NaN;
  return Math.min(ours.perSecond / theirs.perSecond, theirs.cpuMicros / ours.cpuMicros);
}

export function verdicts({ hot, cold, starts, first, memory, flat }: Results): Verdict[] {
  const ratios = RATIOS.map(([start, end, other, bound]): Verdict => {
    const name = [...hot.keys()].find((one) => one.startsWith(start) && one.endsWith(end)) ?? '';
    const value = ratio(hot.get(name) ?? [], other);
    return { what: `${start}, ${end}: times ${other}`, value, side: 'at least', bound, unit: '' };
  });
  const atMost = (what: string, value: number, bound: number, unit = ''): Verdict => {
    return { what, value, side: 'at most', bound, unit };
  };
  const { residentMiB } = flat;
  const growth = residentMiB.at(-1)! / residentMiB[residentMiB.length / 2 - 1]!;
  return [
    ...ratios,
    atMost('cold page: times the bare hop, same requests', cold['gateway']! / cold[SAME_HOP]!, 1.1),
    atMost('first page of a process: times its tenth', first.first / first.tenth, 1.3),
    atMost('start to first answer, bundle', starts.bundle, 600, ' ms'),
    atMost('start to first answer, sources', starts.sources, 1000, ' ms'),
    atMost('memory after all load', memory.get('gateway')!, 250, ' MiB'),
    atMost('memory over distinct requests: end to halfway', growth, 1.1),
  ];
}
