import { createHistory, type History, KEPT_SLOTS, readRow } from '../history.ts';
import { pairsOf, texts } from './hash.ts';
import { type Tasks, track, whenEnded } from '../tasks.ts';
import { script, type Server } from './server.ts';

/**
 * KEYS: rows by slot. ARGV: slot, values as JSON, how many slots are kept. A new slot removes old ones. Their age is
 * counted from the last slot before the new one: the clock of a replica may be far ahead for a moment.
 */
const ADD = script(
  `
local added = cjson.decode(ARGV[2])
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored then
  for i, value in ipairs(cjson.decode(stored)) do added[i] = (added[i] or 0) + value end
else
  local slots, last = redis.call('HKEYS', KEYS[1]), -1
  for _, slot in ipairs(slots) do
    if tonumber(slot) < tonumber(ARGV[1]) then last = math.max(last, tonumber(slot)) end
  end
  for _, slot in ipairs(slots) do
    if tonumber(slot) < last - tonumber(ARGV[3]) then redis.call('HDEL', KEYS[1], slot) end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(added))`,
  'allow-oom',
);

/** KEYS: rows by slot. */
const READ = script(`return redis.call('HGETALL', KEYS[1])`, 'no-writes');

/** Rows of numbers by slot, in a hash for each name. `close` resolves once everything is written. */
export function historyInValkey({ server, base }: { server: Server; base: string }) {
  const keyOf = (name: string) => `${base}history:${name}`;
  const underWay: Tasks = new Set();
  const history: History = createHistory({
    write(name, slot, values) {
      if (server.isAway()) throw new Error('the server is away');
      const args = [slot, JSON.stringify(values), KEPT_SLOTS];
      track(underWay, server.run(ADD, [keyOf(name)], args));
    },
    async read(name, fromSlot) {
      const { data: stored } = texts.safeParse(await server.run(READ, [keyOf(name)], []));
      if (!stored) throw new Error('the rows cannot be read now');
      const rows = pairsOf(stored).map(([slot, text]) => [Number(slot), readRow(text)] as const);
      return new Map(rows.filter(([slot]) => slot >= fromSlot));
    },
  });

  async function close(): Promise<void> {
    history.flush();
    await whenEnded(underWay);
  }

  return { ...history, close };
}
