import { z } from 'zod';
import { parseJson } from '../../json.ts';
import { meterNamed } from '../attribution.ts';
import type { Server } from './server.ts';
import type { SpentLine } from '../units.ts';
import { readHash } from './hash.ts';

/** Who has spent what, as it is kept on a server: a hash for each day, a field for each line. */

/** Days since 1970 of hours since 1970. */
export const dayOf = (hour: number) => Math.floor(hour / 24);

/** Undefined where it cannot be read now. */
export async function readSpent(
  server: Server,
  dayKey: (day: number) => string,
  from: number,
  to: number,
): Promise<SpentLine[] | undefined> {
  const lines: SpentLine[] = [];
  for (let day = dayOf(from); day <= dayOf(to - 1); day += 1) {
    const fields = await readHash(server, dayKey(day));
    if (!fields) return undefined;
    lines.push(...fields.flatMap(lineOf));
  }
  return lines.filter(({ hour }) => hour >= from && hour < to);
}

function lineOf([field, units]: readonly [string, string]): SpentLine[] {
  const { success, data } = lineField.safeParse(parseJson(field));
  const meter = meterNamed(data?.[1]);
  // What was given back as a whole was not spent.
  if (!success || !meter || units === '0') return [];
  const [hour, , client, operation, dataset] = data;
  return [{ hour, meter, client, operation, dataset, units: Number(units) }];
}

const lineField = z.tuple([z.number(), z.string(), z.string(), z.string(), z.string()]);
