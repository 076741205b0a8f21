import { createHistory, type History, KEPT_HOURS, readRow } from '../history.ts';
import { readHash } from './hash.ts';
import { createTasks } from '../tasks.ts';
import { script, type Server } from './server.ts';

/** KEYS: rows by hour. ARGV: hour, values as JSON, the oldest hour that is kept. */
const ADD = script(
  `
local added = cjson.decode(ARGV[2])
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored then
  for i, value in ipairs(cjson.decode(stored)) do added[i] = (added[i] or 0) + value end
else
  for _, hour in ipairs(redis.call('HKEYS', KEYS[1])) do
    if tonumber(hour) < tonumber(ARGV[3]) then redis.call('HDEL', KEYS[1], hour) end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(added))`,
  'allow-oom',
);

/** Rows of numbers by hour, in a hash for each name. `close` resolves once all is written. */
export function historyInValkey({ server, base }: { server: Server; base: string }) {
  const keyOf = (name: string) => `${base}history:${name}`;
  const { track, ended } = createTasks();
  const history: History = createHistory({
    write(name, hour, values) {
      if (server.isAway()) throw new Error('the server is away');
      const args = [hour, JSON.stringify(values), hour - KEPT_HOURS];
      track(server.run(ADD, [keyOf(name)], args));
    },
    async read(name, fromHour) {
      const stored = await readHash(server, keyOf(name));
      if (!stored) throw new Error('the rows cannot be read now');
      const rows = stored.map(([hour, text]) => [Number(hour), readRow(text)] as const);
      return new Map(rows.filter(([hour]) => hour >= fromHour));
    },
  });

  async function close(): Promise<void> {
    history.flush();
    await ended();
  }

  return { ...history, close };
}
