import type { Logger } from 'pino';
import { KEY_PREFIX, script, type Server } from './server.ts';

/** Returns by which policy the server evicts keys: `noeviction`, too, where it never does; nothing where it may not be asked. */
const POLICY = script(
  `local info = redis.pcall('INFO', 'memory')
if type(info) ~= 'string' then return '' end
if string.match(info, 'maxmemory:(%d+)') == '0' then return 'noeviction' end
return string.match(info, 'maxmemory_policy:([%w-]+)')`,
  'no-writes',
);

/** What counts units must not be evicted to make room for answers, nor come back from an older memory unnoticed. Told once. */
export function warnOfServer(server: Server, log: Logger): void {
  let isTold = false;

  async function look(): Promise<void> {
    const reply = await server.run(POLICY, [KEY_PREFIX], []);
    if (isTold || !(reply instanceof Buffer) || String(reply) === 'noeviction') return;
    isTold = true;
    const policy = String(reply);
    if (policy === '')
      return log.warn(
        'the shared server does not say when it was started: give its user the right +info',
      );
    log.warn(
      { policy },
      'the shared server may evict what counts units: set its maxmemory-policy to noeviction',
    );
  }

  server.onBack(() => void look());
}
