import { z } from 'zod';
import {
  count,
  flag,
  folder,
  hostAddress,
  isProduction,
  key,
  logLevel,
  milliseconds,
  pauseMs,
  port,
  positive,
  seconds,
  text,
  timezone,
  type Read,
  workersFor,
} from './config/checks.ts';
import { readConnections, readSocketLimits } from './config/connections.ts';
import { ConfigError } from './config/error.ts';
import { hosts, list, networks, origins } from './config/lists.ts';
import { isLoopback } from './config/loopback.ts';
import { servers } from './config/servers.ts';
import { readTimesToLive } from './config/times-to-live.ts';
import { readTracing } from './config/tracing.ts';
import { misspelledIn } from './config/misspelled.ts';
import { readIgnored, readUpstream } from './config/upstream.ts';
import { isStartedByNpm } from './end-signals.ts';
import { limitVariable, perMeter } from './meters.ts';

/**
 * The only part of the server that reads the environment; commands and OpenTelemetry read their own variables. Every
 * variable but NODE_ENV and those of npm is in the README's table.
 */

export { ConfigError };

/** Values may be numbers, too, for programs that embed the gateway. */
type Environment = Readonly<Record<string, string | number | undefined>>;

export type Config = ReturnType<typeof readConfig>;
/** The addresses of both upstream groups, and their keys. */
export type Upstream = NonNullable<Config['upstream']>;

/** Reads and checks all variables. Throws ConfigError. A variable that is empty or blank counts as not set. */
export function readConfig(env: Environment) {
  const known = new Set<string>();
  const read: Read = (variable, type) => {
    known.add(variable);
    const value = String(env[variable] ?? '');
    const { success, data, error } = type.safeParse(value.trim() ? value : undefined);
    if (success) return data;
    throw new ConfigError(`${variable}: ${error.issues[0]?.message ?? 'is not valid'}`);
  };
  const config = {
    ...readServer(read),
    ...readLimits(read),
    sockets: readSocketLimits(read),
    /** Undefined: the sandbox is served. */
    upstream: readUpstream(read),
    /** Names of variables of the upstream that have no effect, since the sandbox is served. */
    ignored: readIgnored(read),
    /** Times to live by dataset. */
    ttl: readTimesToLive(read),
  };
  return {
    ...config,
    misspelled: misspelledIn(Object.keys(env), known),
    /** Whether a clients file was perhaps meant, but the variable is blank: everybody is let in. */
    isClientsFileBlank: env['CLIENTS_FILE'] !== undefined && config.clientsFile === undefined,
    isStartedByNpm: isStartedByNpm(env),
  };
}

function readServer(read: Read) {
  return {
    port: readPort(read),
    host: readHost(read),
    /** How many processes serve the port; above 1, a primary process leads them (src/workers). */
    workers: read('WORKERS', workersFor(readKeptBytes(read)).default(1)),
    /** Folder of the ledger and of stored answers. */
    dataDir: read('DATA_DIR', folder.default('./data')),
    /** Addresses of the Valkey or Redis server that replicas share; empty: they share the files in `dataDir`. */
    sharedUrls: read('SHARED_URL', servers),
    /** File of the clients that are let in; undefined: everybody is. */
    clientsFile: read('CLIENTS_FILE', text.optional()),
    persistedDocuments: read('PERSISTED_DOCUMENTS', list),
    persistedOnly: read('PERSISTED_ONLY', flag.default(false)),
    /** Origins whose pages may send requests from a browser; `*` for all. */
    corsOrigins: read('CORS_ORIGINS', origins),
    /**
     * Host names that requests may address; `*`: any. Empty: this machine's own names if HOST is loopback, else any
     * (transport/origins.ts).
     */
    allowedHosts: read('ALLOWED_HOSTS', hosts),
    /** Proxies whose X-Forwarded-For is trusted. */
    trustProxy: read('TRUST_PROXY', networks),
    /** How long an operation is still served after its manifest has stopped listing it. */
    persistedRetireMs: read('PERSISTED_RETIRE_SECONDS', seconds(86_400)),
    /** How long /ready responds with 503 before the port closes. */
    drainMs: read('DRAIN_MS', pauseMs.default(isProduction(read) ? 5000 : 0)),
    connections: readConnections(read),
    admin: readAdmin(read),
    tracing: readTracing(read),
    /** Whether browsers get a page at the endpoint; with `persistedOnly` they never do. */
    studio: read('STUDIO', flag.default(true)),
    logLevel: read('LOG_LEVEL', logLevel.default('info')),
  };
}

const readKeptBytes = (read: Read) => read('KEPT_MAX_BYTES', count.default(268_435_456));

const readPort = (read: Read) => read('PORT', port.default(4000));
const readHost = (read: Read, variable = 'HOST') =>
  read(variable, hostAddress.default('127.0.0.1'));

const ADMIN_PORT = 4001;

/** Reads where the operator's listener is: it serves the console, metrics and health. */
function readAdmin(read: Read) {
  const host = readHost(read, 'ADMIN_HOST');
  const token = read('ADMIN_TOKEN', key.optional());
  if (!isLoopback(host) && token === undefined)
    throw new ConfigError(
      'ADMIN_TOKEN: must be set, since ADMIN_HOST is not a loopback address (anyone could read the console and metrics)',
    );
  return { host, token, ...readAdminPort(read, host) };
}

/** Port 0: no admin listener. */
function readAdminPort(read: Read, host: string) {
  const given = read('ADMIN_PORT', port.optional());
  const served = { host: readHost(read), port: readPort(read) };
  if (given && given === served.port && host === served.host)
    throw new ConfigError('ADMIN_PORT: must not be the same as PORT, which serves the endpoint');
  const usual = served.port === ADMIN_PORT ? ADMIN_PORT + 1 : ADMIN_PORT;
  return { port: given ?? usual, isDefaultPort: given === undefined };
}

function readLimits(read: Read) {
  return {
    /** The plan's monthly allowances, in units. */
    limits: perMeter((meter) => read(limitVariable(meter), count.optional())),
    /** Whether times to live are stretched so that an allowance lasts the month. */
    spending: read('SPENDING', z.enum(['even', 'free'], 'must be even or free').default('even')),
    /** Whether a request that timed out counts as charged; undefined: only if its meter has a limit. */
    timeoutsCount: read('TIMEOUTS_COUNT', flag.optional()),
    /** Highest stated cost that is believed; an answer that states more counts as one unit. */
    maxUnitsPerRequest: read('MAX_UNITS_PER_REQUEST', positive.default(1000)),
    groupBRequestsPerSecond: read('GROUP_B_REQUESTS_PER_SECOND', positive.optional()),
    maxRequestsPerOperation: read('MAX_UPSTREAM_REQUESTS_PER_OPERATION', count.default(20)),
    /** Maximum operations in flight, of all clients together; those that a kept answer serves do not count. */
    maxOperations: read('MAX_OPERATIONS', positive.default(2048)),
    /** Maximum open subscriptions, of all clients and transports together. */
    maxSubscriptions: read('MAX_SUBSCRIPTIONS', positive.default(10_000)),
    maxValuesPerOperation: read('MAX_VALUES_PER_OPERATION', positive.default(1_000_000)),
    maxAnswerBytes: read('MAX_ANSWER_BYTES', positive.default(16_777_216)),
    maxProcessorMsPerOperation: read('MAX_PROCESSOR_MS_PER_OPERATION', positive.default(600)),
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS', milliseconds.default(5000)),
    operationTimeoutMs: read('OPERATION_TIMEOUT_MS', milliseconds.default(15_000)),
    /** Time zone that determines "today", and the months for which the allowances hold. */
    timezone: read('UPSTREAM_TIMEZONE', timezone.default('Europe/Istanbul')),
    /** Maximum size of the stored answers; 0: none are stored. */
    keptMaxBytes: readKeptBytes(read),
    cacheMaxBytes: read('CACHE_MAX_BYTES', positive.default(134_217_728)),
    /** Maximum expected size of an answer when a request is widened to more than was asked for. */
    widenMaxBytes: read('WIDEN_MAX_BYTES', count.default(524_288)),
    /** Assumed speed of the line to the upstream, until its answers show how fast it is. */
    upstreamBytesPerSecond: read('UPSTREAM_BYTES_PER_SECOND', positive.default(1_000_000)),
    /** Maximum length of an upstream request's path and query when it names many assets. */
    upstreamMaxUrlBytes: read('UPSTREAM_MAX_URL_BYTES', positive.default(4096)),
  };
}
