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

/** KEYS: all bases of keys that replicas of this server have had. ARGV: one of them. Returns 1 where it is new beside others. */
const NOTE_BASE = script(
  `if redis.call('SADD', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('SCARD', KEYS[1]) > 1 and 1 or 0`,
  'allow-oom',
);

/**
 * What is counted under one address of the upstream does not count under another one, be it another spelling of the same:
 * who corrects an address has to know that limits begin anew. `base`: what keys of this upstream begin with.
 */
export function warnOfNewAddresses(server: Server, base: string, log: Logger): void {
  async function look(): Promise<void> {
    if ((await server.run(NOTE_BASE, [`${KEY_PREFIX}:bases`], [base])) !== 1) return;
    log.warn(
      'GROUP_A_URL, GROUP_B_URL: the shared server has counted nothing for these addresses, but for others it has: limits, budgets and revoked keys begin anew',
    );
  }

  server.onBack(() => void look());
}

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
