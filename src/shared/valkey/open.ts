import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config, Upstream } from '../../config.ts';
import type { OpenContext } from '../files.ts';
import type { SharedState } from '../state.ts';
import type { OnTrouble } from '../trouble.ts';
import type { Counted } from '../units.ts';
import { sharedByValkey } from './answers.ts';
import { newsByValkey } from './news.ts';
import { permitsInValkey } from './permits.ts';
import { revocationsOnServer } from './revocations.ts';
import { KEY_PREFIX, openServer } from './server.ts';
import { createTrouble } from './trouble.ts';
import { APPLY } from './units-script.ts';
import { unitsInValkey } from './units.ts';
import { warnOfLoss, warnOfNewAddresses, warnOfServer } from './warnings.ts';

/** How long the start waits for the server. */
const MAX_START_WAIT_MS = 1000;

interface OpenOnServerOptions extends OpenContext {
  /** What was counted this month before there was a server. */
  before: readonly Counted[];
}

/** Opens everything that processes share, on the server of SHARED_URL. */
export async function openOnServer(
  config: Config,
  upstream: Upstream,
  { log, now, monotonic, before, isReport }: OpenOnServerOptions,
): Promise<SharedState> {
  const { sharedUrls, keptMaxBytes: maxBytes, groupBRequestsPerSecond: perSecond } = config;
  const server = openServer({
    url: sharedUrls.join(','),
    onTrouble: troubleLog(log),
    onRefusal: refusalLog(log),
  });
  const names = [upstream.groupA.url, upstream.groupB.url, ...databaseIn(sharedUrls)];
  const base = `${KEY_PREFIX}:${hashOf(names)}:`;
  warnOfServer(server, log);
  if (!isReport) warnOfNewAddresses(server, base, log);
  await server.ready(MAX_START_WAIT_MS);
  const shared = maxBytes === 0 ? undefined : sharedByValkey({ server, base, maxBytes });
  const permits = permitsInValkey({ server, base, perSecond, monotonic });
  const revocations = revocationsOnServer({ server, base, now });
  const forgetting = createTrouble(forgettingLog(log));
  const onLoss = warnOfLoss(log);
  const units = unitsInValkey({
    server,
    base,
    before,
    onRestored: (epoch) => forgetting.isReported() || onLoss(epoch),
    forgetting,
  });
  const keepsCount = () => !forgetting.isReported();
  return {
    shared,
    units,
    news: newsByValkey({ server, base }),
    revocations,
    permits,
    store: {
      kind: 'server',
      isUp: () => server.isUp() && keepsCount(),
      canCount: () => server.accepts(APPLY) && keepsCount(),
    },
    async close() {
      await shared?.close();
      for (const one of [revocations, permits, server]) one.close();
    },
  };
}

const troubleLog = (log: Logger): OnTrouble => ({
  begins: (reason) =>
    log.error({ reason }, 'the shared server is away: each replica goes on by itself'),
  goesOn: (reason) => log.error({ reason }, 'the shared server is still away'),
  ends: () => log.info('the shared server is back'),
});

const refusalLog = (log: Logger): OnTrouble => ({
  begins: (reason) => log.error({ reason }, 'the shared server refuses some commands'),
  ends: () => log.info('the shared server accepts all commands again'),
});

const forgettingLog = (log: Logger): OnTrouble => ({
  begins: (reason) =>
    log.error(
      { reason },
      'the shared server keeps no count of units, so each replica goes on by itself: set its maxmemory-policy to noeviction',
    ),
  ends: () => log.info('the shared server keeps the count of units again'),
});

/**
 * Returns the number of the database, unless it is the first: what is published in one database is heard in all, so the
 * names must differ.
 */
function databaseIn([url = '']: readonly string[]): string[] {
  const database = new URL(url).pathname.slice(1);
  return Number(database) > 0 ? [database] : [];
}

const hashOf = (names: readonly string[]) =>
  hash('sha256', JSON.stringify(names), 'base64url').slice(0, 12);
