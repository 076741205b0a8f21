import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Returns a look-up of host names for connections that begin at the same time: they wait for one answer. The system
 * resolves only a few names at a time for the whole process, so that many look-ups of a name that hangs would hold up
 * all others. No answer is kept: a host may get another address at any time.
 */
export function createSharedLookup(): LookupFunction {
  const waiting = new Map<string, Parameters<LookupFunction>[2][]>();
  return (host, options, done) => {
    const id = JSON.stringify([host, options]);
    const others = waiting.get(id);
    if (others) {
      others.push(done);
      return;
    }
    const all = [done];
    waiting.set(id, all);
    dns.lookup(host, options, (...found) => {
      waiting.delete(id);
      for (const one of all) one(...found);
    });
  };
}
