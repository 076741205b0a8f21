import { z } from 'zod';
import { parseJson } from '../json.ts';
import { HOUR_MS, meterNamed, type SpentLine } from './budgets.ts';
import type { Server } from './server.ts';
import { READ_DAY } from './valkey-counters-script.ts';

/** Who has spent what, as it is kept on a server: a hash for each day. */

/** Days since 1970 of hours since 1970. */
export const dayOf = (hour: number) => Math.floor((hour * HOUR_MS) / (24 * HOUR_MS));

/** Undefined where it cannot be read now. */
export async function readSpent(
  server: Server,
  dayKey: (day: number) => string,
  from: number,
  to: number,
): Promise<SpentLine[] | undefined> {
  const lines: SpentLine[] = [];
  for (let day = dayOf(from); day <= dayOf(to - 1); day += 1) {
    const fields = hash.safeParse(await server.run(READ_DAY, [dayKey(day)], []));
    if (!fields.success) return undefined;
    lines.push(...linesIn(fields.data));
  }
  return lines.filter(({ hour }) => hour >= from && hour < to);
}

/** Names and values take turns. */
function linesIn(hashed: readonly string[]): SpentLine[] {
  const lines: SpentLine[] = [];
  for (let i = 0; i < hashed.length; i += 2) {
    const { success, data } = lineField.safeParse(parseJson(hashed[i]!));
    const meter = meterNamed(data?.[1]);
    if (!success || !meter || hashed[i + 1] === '0') continue;
    const [hour, , client, operation, dataset] = data;
    lines.push({ hour, meter, client, operation, dataset, units: Number(hashed[i + 1]) });
  }
  return lines;
}

const hash = z.array(z.union([z.string(), z.instanceof(Buffer).transform(String)]));
const count = z.number();
const lineField = z.tuple([count, z.string(), z.string(), z.string(), z.string()]);
