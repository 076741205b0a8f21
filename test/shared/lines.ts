import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { openSharedState } from '../../src/shared/open.ts';
import type { SpentLine } from '../../src/shared/units.ts';
import { monthAt } from '../../src/time.ts';

/** Many lines of who has spent what, in the store that gateways with these variables share. */

/** Returns lines in which each client spends a unit in each of these hours. */
export function linesOf(from: number, hours: number, clients: number): SpentLine[] {
  return Array.from({ length: hours * clients }, (_, i) => ({
    hour: from + Math.floor(i / clients),
    meter: 'fx',
    client: `client-${i % clients}`,
    operation: 'Q',
    dataset: 'fx history',
    units: 1,
  }));
}

/** Returns all lines of all portions. */
export async function collect(portions: AsyncIterable<readonly SpentLine[]>): Promise<SpentLine[]> {
  const lines: SpentLine[] = [];
  for await (const portion of portions) lines.push(...portion);
  return lines;
}

export async function openStore(env: Record<string, string>) {
  const log = pino({ level: 'silent' });
  const { units, close } = await openSharedState(readConfig(env), {
    now: Date.now,
    monotonic: Date.now,
    log,
  });
  let number = 0;

  return {
    units,
    async write(lines: readonly SpentLine[]): Promise<void> {
      for (const portion of Map.groupBy(lines, ({ hour }) => hour).values()) {
        const spent = portion.map(({ units: cost, ...purpose }) => ({
          purpose: { ...purpose, budgets: [] },
          requests: 1,
          cost,
        }));
        number += 1;
        const nothing = { take: [], limit: undefined, look: undefined, underWay: 0, held: 0 };
        const id = { month: monthAt(Date.now(), 'UTC'), meter: 'fx' } as const;
        const change = { ...nothing, number, ended: [], spent };
        // If a server is slow for a moment, the change is sent again, and applied once.
        while (!(await units.apply(id, change))) await pause(20);
      }
    },
    async close(): Promise<void> {
      await units.close();
      await close();
    },
  };
}
