import { z } from 'zod';
import { parseJson } from '../../json.ts';
import { meterNamed } from '../attribution.ts';
import { unreadableError, PORTION_LINES, waitForTurn } from '../reading.ts';
import { script, type Server } from './server.ts';
import type { SpentLine } from '../units.ts';
import { pairsOf, text, texts } from './hash.ts';

/** Who has spent what, as kept on a server: a hash for each day, with a field for each line. */

/** Converts hours since 1970 to days since 1970. */
export const dayOf = (hour: number) => Math.floor(hour / 24);

/** KEYS: a hash. ARGV: cursor of the previous portion. Reading a whole day at once may take the server too long. */
const SCAN = script(
  `return redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ${PORTION_LINES})`,
  'no-writes',
);

const portion = z.tuple([text, texts]);

export async function* readSpent(
  server: Server,
  dayKey: (day: number) => string,
  from: number,
  to: number,
): AsyncGenerator<readonly SpentLine[]> {
  for (let day = dayOf(from); day <= dayOf(to - 1); day += 1) {
    const ofDay = await readDay(server, dayKey(day));
    const wanted = ofDay.filter(({ hour }) => hour >= from && hour < to);
    const lines = wanted.toSorted((a, b) => a.hour - b.hour);
    for (let i = 0; i < lines.length; i += PORTION_LINES) {
      await waitForTurn();
      yield lines.slice(i, i + PORTION_LINES);
    }
  }
}

/** Reads a day's lines by their fields: a hash that grows meanwhile may return a field twice. */
async function readDay(server: Server, key: string): Promise<SpentLine[]> {
  const lines = new Map<string, SpentLine>();
  let cursor = '0';
  do {
    const { success, data } = portion.safeParse(await server.run(SCAN, [key], [cursor]));
    if (!success) throw unreadableError();
    const [next, fields] = data;
    await waitForTurn();
    for (const [field, units] of pairsOf(fields)) {
      const line = lineOf(field, units);
      if (line) lines.set(field, line);
    }
    cursor = next;
  } while (cursor !== '0');
  return [...lines.values()];
}

function lineOf(field: string, units: string): SpentLine | undefined {
  const { success, data } = lineField.safeParse(parseJson(field));
  const meter = meterNamed(data?.[1]);
  // If all units were given back, nothing was spent.
  if (!success || !meter || units === '0') return undefined;
  const [hour, , client, operation, dataset] = data;
  return { hour, meter, client, operation, dataset, units: Number(units) };
}

const lineField = z.tuple([z.number(), z.string(), z.string(), z.string(), z.string()]);
