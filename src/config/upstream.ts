import { baseUrl, flag, isProduction, key, type Read } from './checks.ts';
import { ConfigError } from './error.ts';

/** Where the upstream is, or whether the sandbox stands in for it. */

const readGiven = (read: Read) => ({
  GROUP_A_URL: read('GROUP_A_URL', baseUrl.optional()),
  GROUP_A_KEY: read('GROUP_A_KEY', key.optional()),
  GROUP_B_URL: read('GROUP_B_URL', baseUrl.optional()),
  GROUP_B_KEY: read('GROUP_B_KEY', key.optional()),
});

/** Reads the four variables of the upstream: either all of them are set, or none. Undefined: the sandbox is served. */
export function readUpstream(read: Read) {
  const given = readGiven(read);
  const sandbox = read('SANDBOX', flag.optional());
  const names = Object.keys(given);
  const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : name));
  if (sandbox) return undefined;
  if (missing.length === names.length && sandbox === undefined && !isProduction(read))
    return undefined;
  const { GROUP_A_URL, GROUP_A_KEY, GROUP_B_URL, GROUP_B_KEY } = given;
  if (GROUP_A_URL && GROUP_A_KEY && GROUP_B_URL && GROUP_B_KEY)
    return {
      groupA: { url: GROUP_A_URL, key: GROUP_A_KEY },
      groupB: { url: GROUP_B_URL, key: GROUP_B_KEY },
    };
  const problem = `not set (set all of ${names.join(', ')}, or SANDBOX=1)`;
  throw new ConfigError(`${missing.join(', ')}: ${problem}`);
}

/** Returns the names of variables that have no effect because the sandbox is served. */
export function readIgnored(read: Read): string[] {
  const isSandbox = read('SANDBOX', flag.optional()) ?? false;
  const given = Object.entries(readGiven(read));
  return isSandbox ? given.flatMap(([name, value]) => (value ? name : [])) : [];
}
