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
  for (const warning of config.tracing.warnings) log.warn(warning);
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

const endsInVersion = (url: string) => /\/v1\/?$/.test(url);
