import type { Logger } from 'pino';
import { KEY_PREFIX, script, type Server } from './server.ts';

/** Returns by which policy the server evicts keys; nothing where it never does, or may not be asked. */
const POLICY = script(
  `local info = redis.pcall('INFO', 'memory')
if type(info) ~= 'string' or string.match(info, 'maxmemory:(%d+)') == '0' then return '' end
return string.match(info, 'maxmemory_policy:([%w-]+)')`,
  'no-writes',
);

/** What counts units must not be evicted to make room for answers. Told once. */
export function warnOfEviction(server: Server, log: Logger): void {
  let isTold = false;

  async function look(): Promise<void> {
    const reply = await server.run(POLICY, [KEY_PREFIX], []);
    const policy = reply instanceof Buffer ? String(reply) : '';
    if (isTold || policy === '' || policy === 'noeviction') return;
    isTold = true;
    log.warn(
      { policy },
      'the shared server may evict what counts units: set its maxmemory-policy to noeviction',
    );
  }

  server.onBack(() => void look());
}
