import { existsSync, readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config, Upstream } from '../config.ts';
import { labelOf, limitVariable, METERS } from '../meters.ts';

/** Logs where the gateway is served, once it is. */
export function logStart(
  log: Logger,
  { studio, persistedOnly }: Config,
  url: string,
  isSandbox: boolean,
): void {
  if (isSandbox) log.info('SANDBOX: all data are synthetic');
  log.info(`GraphQL${studio && !persistedOnly ? ' and the Studio' : ''} at ${url}/graphql`);
}

/** Warns of settings that are likely to be a mistake. */
export function warnOfConfig(log: Logger, config: Config): void {
  for (const { name, meant } of config.misspelled)
    log.warn(`${name}: is not a known variable and has no effect; did you mean ${meant}?`);
  if (config.isClientsFileBlank)
    log.warn('CLIENTS_FILE: is empty, so everybody is served, without a key');
  if (config.ignored.length > 0)
    log.warn(
      `${config.ignored.join(', ')}: no effect, since SANDBOX is 1 (all data are synthetic)`,
    );
  for (const warning of config.tracing.warnings) log.warn(warning);
  warnOfOpenFiles(log, config);
  if (config.upstream) warnOfUpstream(log, config, config.upstream);
}

function warnOfUpstream(log: Logger, { limits }: Config, { groupA, groupB }: Upstream): void {
  const unbounded = METERS.filter((meter) => limits[meter] === undefined);
  if (unbounded.length > 0)
    log.warn(
      `no monthly limit for ${unbounded.map(labelOf).join(', ')}: set ${unbounded.map(limitVariable).join(', ')}`,
    );
  // Paths of group A begin with /v1, those of group B do not (spec section 4).
  if (endsInVersion(groupA.url))
    log.warn('GROUP_A_URL: ends in /v1, which the paths of group A already include');
  if (!endsInVersion(groupB.url)) log.warn('GROUP_B_URL: does not end in /v1');
}

/** Open files of a process beside its connections: of the upstream, the ledger, the stored answers and the log. */
const OTHER_FILES = 50;

/** A connection needs an open file. Beyond what the system allows, it is closed without a line in the log. */
function warnOfOpenFiles(log: Logger, { connections, workers }: Config): void {
  const allowed = maxOpenFiles();
  if (connections.max / workers + OTHER_FILES > allowed)
    log.warn(
      `MAX_CONNECTIONS: ${connections.max} are more than the system allows: ${allowed} open files a process (ulimit -n)`,
    );
}

/** Only Linux tells it to a process at once. */
function maxOpenFiles(): number {
  if (!existsSync(LIMITS)) return Infinity;
  const [, allowed] = /^Max open files +(\d+)/m.exec(readFileSync(LIMITS, 'utf8')) ?? [];
  return allowed === undefined ? Infinity : Number(allowed);
}

const LIMITS = '/proc/self/limits';

const endsInVersion = (url: string) => /\/v1\/?$/.test(url);
