import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { sameTimesToLive } from './times-to-live.ts';

/** The environment is checked as a whole before anything starts. */

const UPSTREAMS = {
  GROUP_A_URL: 'https://a.example',
  GROUP_A_KEY: 'a',
  GROUP_B_URL: 'https://b.example/v1',
  GROUP_B_KEY: 'b',
};

function problem(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const INVALID: [name: string, value: string][] = [
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['DATA_DIR', '~/data'],
  ['SHARED_URL', 'http://a.example'],
  ['SHARED_URL', 'redis://'],
  ['SHARED_URL', 'redis://a.example,redis:///0'],
  ['GROUP_A_URL', 'ftp://a.example'],
  ['GROUP_A_URL', 'a.example'],
  ['GROUP_A_URL', 'https://a.example/a?sub=abc'],
  ['GROUP_B_URL', 'https://b.example/v1#part'],
  ['GROUP_B_URL', 'https://name@b.example/v1'],
  ['GROUP_B_URL', 'https://'],
  ['GROUP_A_KEY', 'two words'],
  ['GROUP_B_KEY', 'line\nbreak'],
  ['SANDBOX', 'yes'],
  ['PERSISTED_ONLY', 'true'],
  ['TTL_FX_RATES', '-1'],
  ['TTL_FX_HISTORY', '1m'],
  ['TTL_MACRO_SERIES', '21.600'],
  ...Object.entries(sameTimesToLive('x')),
  ['FX_MONTHLY_LIMIT', '-5'],
  ['MACRO_MONTHLY_LIMIT', 'many'],
  ['CREDITS_MONTHLY_LIMIT', '10.000'],
  ['GROUP_B_REQUESTS_PER_SECOND', '0'],
  ['MAX_UPSTREAM_REQUESTS_PER_OPERATION', 'x'],
  ['MAX_VALUES_PER_OPERATION', '0'],
  ['MAX_ANSWER_BYTES', '0'],
  ['MAX_PROCESSOR_MS_PER_OPERATION', '-1'],
  ['UPSTREAM_TIMEOUT_MS', '0'],
  // Longer than a timer can wait: it would fire at once.
  ['UPSTREAM_TIMEOUT_MS', '2147483648'],
  ['OPERATION_TIMEOUT_MS', '2147483648'],
  ['REQUEST_TIMEOUT_MS', '3000000000'],
  ['DRAIN_MS', '2147483648'],
  ['UPSTREAM_TIMEZONE', 'Mars/Olympus'],
  ['CACHE_MAX_BYTES', '0'],
  ['LOG_LEVEL', 'loud'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector'],
  ['CORS_ORIGINS', 'a.example'],
  ['CORS_ORIGINS', 'https://a.example, b.example'],
  ['CORS_ORIGINS', 'https://a.example/path'],
  ['CORS_ORIGINS', 'https://*.a.example'],
  ['CORS_ORIGINS', 'null'],
  ['ALLOWED_HOSTS', 'https://a.example'],
  ['ALLOWED_HOSTS', 'a.example:4000'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['DRAIN_MS', 'x'],
  ['MAX_CONNECTIONS', '0'],
  ['HEADERS_TIMEOUT_MS', '10s'],
];

/** Invalid while tracing is on. */
const INVALID_TRACING: [name: string, value: string][] = [
  ['OTEL_EXPORTER_OTLP_HEADERS', 'token'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', '=x'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'production'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
];
const COLLECTOR = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  OTEL_TRACES_SAMPLER: 'traceidratio',
};

describe('a malformed variable', () => {
  test.each(INVALID)('%s=%j is reported in one line', (name, value) => {
    const message = problem({ ...UPSTREAMS, [name]: value });
    expect(message).toMatch(new RegExp(`^${name}: .+$`));
    expect(message).not.toContain('Invalid input');
  });
});

describe('variables of OpenTelemetry', () => {
  test.each(INVALID_TRACING)('%s=%j is reported if tracing is on', (name, value) => {
    expect(problem({ ...COLLECTOR, [name]: value })).toMatch(new RegExp(`^${name}: .+$`));
  });

  test.each(INVALID_TRACING)('%s=%j is ignored if tracing is off', (name, value) => {
    const wrong = { [name]: value, OTEL_TRACES_SAMPLER: 'jaeger_remote' };
    expect(problem(wrong)).toBe('');
    expect(problem({ ...COLLECTOR, ...wrong, OTEL_SDK_DISABLED: 'TRUE' })).toBe('');
    expect(problem({ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:1', OTEL_SDK_DISABLED: 'true' })).toBe('');
  });

  test('a sampler is recognized in any letter case, and its argument is read if it takes one', () => {
    const others = { OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://localhost:14250' };
    const tracing = (name: string, more = {}) =>
      readConfig({ ...COLLECTOR, OTEL_TRACES_SAMPLER: name, ...more }).tracing;
    expect(tracing('ALWAYS_ON', others)).toMatchObject({ sampler: 'always_on' });
    const share = { OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(tracing('ParentBased_TraceIdRatio', share)).toMatchObject({ ratio: 0.25 });
  });
});

describe('the upstream', () => {
  test.each(Object.keys(UPSTREAMS))('needs %s beside the other three', (name) => {
    const rest = Object.entries(UPSTREAMS).filter(([given]) => given !== name);
    expect(problem(Object.fromEntries(rest))).toMatch(new RegExp(`^${name}: not set`));
  });

  test('is needed in production', () => {
    expect(problem({ NODE_ENV: 'production' })).toContain(Object.keys(UPSTREAMS).join(', '));
    expect(readConfig({ NODE_ENV: 'production', ...UPSTREAMS }).upstream).toEqual({
      groupA: { url: UPSTREAMS.GROUP_A_URL, key: 'a' },
      groupB: { url: UPSTREAMS.GROUP_B_URL, key: 'b' },
    });
  });

  test('is the sandbox if nothing is configured, or if SANDBOX is 1', () => {
    expect(readConfig({}).upstream).toBeUndefined();
    expect(readConfig({ ...UPSTREAMS, SANDBOX: '1' }).upstream).toBeUndefined();
    expect(readConfig({ NODE_ENV: 'production', SANDBOX: '1' }).upstream).toBeUndefined();
    expect(problem({ SANDBOX: '0' })).toContain('GROUP_A_URL');
  });
});

test('the defaults apply if nothing is set', () => {
  expect(readConfig({ PORT: '', DATA_DIR: '' })).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    ttl: {
      fxRates: 60_000,
      crypto: 30_000,
      fxHistory: 300_000,
      macroSeries: 3_600_000,
      legislation: 900_000,
      calendar: 300_000,
      macroCatalog: 21_600_000,
      settledDays: 86_400_000,
    },
    limits: { fx: undefined, macro: undefined, credits: undefined },
    groupBRequestsPerSecond: undefined,
    maxRequestsPerOperation: 20,
    upstreamTimeoutMs: 5000,
    timezone: 'Europe/Istanbul',
    cacheMaxBytes: 134_217_728,
    dataDir: './data',
    persistedDocuments: [],
    persistedOnly: false,
    studio: true,
    logLevel: 'info',
  });
});

test('a program that embeds the gateway may pass numbers', () => {
  const { port, persistedOnly, limits } = readConfig({
    PORT: 5001,
    PERSISTED_ONLY: 1,
    FX_MONTHLY_LIMIT: 0,
  });
  expect([port, persistedOnly, limits.fx]).toEqual([5001, true, 0]);
  expect(() => readConfig({ PORT: 1.5 })).toThrow(expect.objectContaining({ name: 'ConfigError' }));
});

test('origins are normalized to the form that browsers send', () => {
  const variable =
    'https://A.example/, http://b.example:80,https://c.example:8443, capacitor://localhost';
  const origins = ['https://a.example', 'http://b.example', 'https://c.example:8443'];
  const { corsOrigins } = readConfig({ CORS_ORIGINS: variable });
  expect(corsOrigins).toEqual([...origins, 'capacitor://localhost']);
  expect(readConfig({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*']);
});

test('DRAIN_MS defaults to 5000 in production, and to 0 otherwise', () => {
  expect(readConfig({ NODE_ENV: 'production', SANDBOX: '1' }).drainMs).toBe(5000);
  expect(readConfig({}).drainMs).toBe(0);
});

test('the console does not take the port of the endpoint', () => {
  expect(readConfig({ PORT: '4001' }).admin.port).toBe(4002);
  expect(problem({ PORT: '5000', ADMIN_PORT: '5000' })).toMatch(/^ADMIN_PORT: .* PORT/);
  expect(problem({ PORT: '5000', ADMIN_PORT: '5000', HOST: '192.0.2.1' })).toBe('');
  expect(problem({ PORT: '0', ADMIN_PORT: '0' })).toBe('');
});
