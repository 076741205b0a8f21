import { z } from 'zod';

/** The only reader of the environment. Every variable is in the README's table. */

const seconds = (fallback: number) =>
  z.coerce
    .number('must be a number of seconds')
    .nonnegative('must not be negative')
    .default(fallback)
    .transform((value) => value * 1000);

const whole = z.coerce.number('must be a number').int('must be a whole number');
const count = whole.nonnegative('must not be negative');
const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1');
const url = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });
const key = z.string().regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces');
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

const variables = z.object({
  NODE_ENV: z.string().optional(),
  PORT: whole.min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535').default(4000),
  HOST: z.string().default('127.0.0.1'),
  GROUP_A_URL: url.optional(),
  GROUP_A_KEY: key.optional(),
  GROUP_B_URL: url.optional(),
  GROUP_B_KEY: key.optional(),
  SANDBOX: flag.optional(),
  TTL_FX_RATES: seconds(60),
  TTL_CRYPTO: seconds(30),
  TTL_FX_HISTORY: seconds(300),
  TTL_MACRO_SERIES: seconds(3600),
  TTL_LEGISLATION: seconds(900),
  TTL_CALENDAR: seconds(300),
  TTL_MACRO_CATALOG: seconds(21_600),
  TTL_SETTLED_DAYS: seconds(86_400),
  FX_MONTHLY_LIMIT: count.optional(),
  MACRO_MONTHLY_LIMIT: count.optional(),
  CREDITS_MONTHLY_LIMIT: count.optional(),
  GROUP_B_REQUESTS_PER_SECOND: whole.positive('must be at least 1').optional(),
  MAX_UPSTREAM_REQUESTS_PER_OPERATION: count.default(20),
  UPSTREAM_TIMEOUT_MS: whole.positive('must be at least 1').default(5000),
  OPERATION_TIMEOUT_MS: whole.positive('must be at least 1').default(15_000),
  UPSTREAM_TIMEZONE: z
    .string()
    .refine(isTimezone, 'must be an IANA time zone')
    .default('Europe/Istanbul'),
  CACHE_MAX_BYTES: whole.positive('must be at least 1').default(134_217_728),
  WIDEN_MAX_BYTES: count.default(524_288),
  DATA_DIR: z.string().default('./data'),
  PERSISTED_DOCUMENTS: list,
  PERSISTED_ONLY: flag.default(false),
  CORS_ORIGINS: list,
  HTTP_STATUS_422: flag.default(false),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a log level')
    .default('info'),
});

type Variables = z.infer<typeof variables>;

const UPSTREAM = ['GROUP_A_URL', 'GROUP_A_KEY', 'GROUP_B_URL', 'GROUP_B_KEY'] as const;

/** Where one group is reached, and the key to it. */
interface Access {
  url: string;
  key: string;
}

/** Times to live in milliseconds, by dataset. */
interface TimesToLive {
  fxRates: number;
  fxHistory: number;
  macroCatalog: number;
  macroSeries: number;
  legislation: number;
  calendar: number;
  crypto: number;
  settledDays: number;
}

export interface Config {
  port: number;
  host: string;
  /** Undefined: serve the sandbox. */
  upstream: { groupA: Access; groupB: Access } | undefined;
  ttl: TimesToLive;
  limits: { fx: number | undefined; macro: number | undefined; credits: number | undefined };
  groupBRequestsPerSecond: number | undefined;
  maxRequestsPerOperation: number;
  upstreamTimeoutMs: number;
  operationTimeoutMs: number;
  timezone: string;
  cacheMaxBytes: number;
  widenMaxBytes: number;
  dataDir: string;
  persistedDocuments: string[];
  persistedOnly: boolean;
  /** Origins whose pages may ask from a browser; `*` for all. */
  corsOrigins: string[];
  /** 422 for what can be read but not be executed, as the draft of GraphQL over HTTP has it. */
  draftStatuses: boolean;
  logLevel: string;
}

/** What is wrong with the environment, in one line that names the variable. */
export class ConfigError extends Error {}

/** Throws ConfigError. A variable that is set to nothing counts as not set. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const result = variables.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const issue = result.error.issues[0];
    throw new ConfigError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`);
  }
  return toConfig(result.data, accessOf(result.data));
}

/** All of the four, or none of them. */
function accessOf(vars: Variables): Config['upstream'] {
  if (vars.SANDBOX) return undefined;
  const { GROUP_A_URL, GROUP_A_KEY, GROUP_B_URL, GROUP_B_KEY } = vars;
  const isEmpty = UPSTREAM.every((name) => vars[name] === undefined);
  if (isEmpty && vars.SANDBOX === undefined && vars.NODE_ENV !== 'production') return undefined;
  if (GROUP_A_URL && GROUP_A_KEY && GROUP_B_URL && GROUP_B_KEY)
    return {
      groupA: { url: GROUP_A_URL, key: GROUP_A_KEY },
      groupB: { url: GROUP_B_URL, key: GROUP_B_KEY },
    };
  const missing = UPSTREAM.filter((name) => vars[name] === undefined).join(', ');
  throw new ConfigError(`${missing}: not set (set all of ${UPSTREAM.join(', ')}, or SANDBOX=1)`);
}

function toConfig(vars: Variables, upstream: Config['upstream']): Config {
  return {
    port: vars.PORT,
    host: vars.HOST,
    upstream,
    ttl: {
      fxRates: vars.TTL_FX_RATES,
      fxHistory: vars.TTL_FX_HISTORY,
      macroCatalog: vars.TTL_MACRO_CATALOG,
      macroSeries: vars.TTL_MACRO_SERIES,
      legislation: vars.TTL_LEGISLATION,
      calendar: vars.TTL_CALENDAR,
      crypto: vars.TTL_CRYPTO,
      settledDays: vars.TTL_SETTLED_DAYS,
    },
    limits: {
      fx: vars.FX_MONTHLY_LIMIT,
      macro: vars.MACRO_MONTHLY_LIMIT,
      credits: vars.CREDITS_MONTHLY_LIMIT,
    },
    groupBRequestsPerSecond: vars.GROUP_B_REQUESTS_PER_SECOND,
    maxRequestsPerOperation: vars.MAX_UPSTREAM_REQUESTS_PER_OPERATION,
    upstreamTimeoutMs: vars.UPSTREAM_TIMEOUT_MS,
    operationTimeoutMs: vars.OPERATION_TIMEOUT_MS,
    timezone: vars.UPSTREAM_TIMEZONE,
    cacheMaxBytes: vars.CACHE_MAX_BYTES,
    widenMaxBytes: vars.WIDEN_MAX_BYTES,
    dataDir: vars.DATA_DIR,
    persistedDocuments: vars.PERSISTED_DOCUMENTS,
    persistedOnly: vars.PERSISTED_ONLY,
    corsOrigins: vars.CORS_ORIGINS,
    draftStatuses: vars.HTTP_STATUS_422,
    logLevel: vars.LOG_LEVEL,
  };
}

function isTimezone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
