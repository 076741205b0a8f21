import type { Logger } from 'pino';
import { KEY_PREFIX, script, type Server } from './server.ts';

/**
 * Returns the server's eviction policy: `noeviction` also if its memory has no limit; nothing if it may not be asked.
 */
const POLICY = script(
  `local info = redis.pcall('INFO', 'memory')
if type(info) ~= 'string' then return '' end
if string.match(info, 'maxmemory:(%d+)') == '0' then return 'noeviction' end
return string.match(info, 'maxmemory_policy:([%w-]+)')`,
  'no-writes',
);

/**
 * KEYS: all key prefixes that replicas of this server have had. ARGV: one of them. Returns 1 if it is new beside
 * others.
 */
const NOTE_BASE = script(
  `if redis.call('SADD', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('SCARD', KEYS[1]) > 1 and 1 or 0`,
  'allow-oom',
);

/**
 * Warns if the server has counted under other addresses of the upstream, but not under these. Counts of one address do
 * not apply to another, even another spelling of the same: an operator who corrects an address has to know that limits
 * begin anew. `base`: prefix of the keys for this upstream.
 */
export function warnOfNewAddresses(server: Server, base: string, log: Logger): void {
  async function check(): Promise<void> {
    if ((await server.run(NOTE_BASE, [`${KEY_PREFIX}:bases`], [base])) !== 1) return;
    log.warn(
      'GROUP_A_URL, GROUP_B_URL: the shared server has counts for other upstream addresses, but none for these: limits, budgets and revoked keys begin anew',
    );
  }

  server.onBack(() => void check());
}

/**
 * Warns once if the server may evict what counts units to make room for answers, or if it does not say when it was
 * started, so that an older memory could come back unnoticed.
 */
export function warnOfServer(server: Server, log: Logger): void {
  let hasWarned = false;

  async function check(): Promise<void> {
    const reply = await server.run(POLICY, [KEY_PREFIX], []);
    if (hasWarned || !(reply instanceof Buffer) || String(reply) === 'noeviction') return;
    hasWarned = true;
    const policy = String(reply);
    if (policy === '')
      return log.warn(
        'the shared server cannot be asked when it was started: grant its user +info',
      );
    log.warn(
      { policy },
      'the shared server may evict what counts units: set its maxmemory-policy to noeviction',
    );
  }

  server.onBack(() => void check());
}

/**
 * Returns what to call if the server has learned from this replica what it had lost. Warns once for each epoch of the
 * server, since each account is told by itself.
 */
export function warnOfLoss(log: Logger): (epoch: string) => void {
  let last: string | undefined;
  return (epoch) => {
    if (epoch !== last)
      log.warn('the shared server had lost what was counted: it was told what this replica knows');
    last = epoch;
  };
}
