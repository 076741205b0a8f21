import { dialectA, dialectB } from './dialects.ts';
import { createFaults, type Fault, type Faults } from './faults.ts';
import { createGroupHandler, type Dialect, type GroupHandler } from './handler.ts';
import { endpointsA } from './group-a/endpoints.ts';
import { createRates } from './group-a/rates.ts';
import { endpointsB } from './group-b/endpoints.ts';
import { createRequestLog, type RequestLog, type SandboxRequest } from './request-log.ts';
import { createMeters, type Meters, type Spent } from './meters.ts';
import { createBodies } from './body-cache.ts';
import { listen, type Mount } from './server.ts';
import { type Settings, UNLIMITED } from './settings.ts';

export type { Fault } from './faults.ts';
export type { SandboxRequest } from './request-log.ts';

/**
 * The sandbox: a stand-in for both upstream APIs, for development and tests. It is written from the spec of these
 * APIs alone (all section numbers in this folder are the spec's) and imports nothing from the gateway (but for
 * `end-signals.ts`, in main.ts), so that one misreading of the spec cannot hide in both. This file puts the parts
 * together.
 */

/** Options of a new sandbox. Settings that are null are unlimited, which is the default. */
export interface SandboxOptions extends Partial<Settings> {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 1. The same seed, moment and URL always give the same body. */
  seed?: number;
  /** The clock, in epoch milliseconds; default Date.now. */
  now?: () => number;
  keyA?: string;
  keyB?: string;
}

/** Both upstream APIs of the spec on one port, and what only tests in the same process can see and set. */
export interface Sandbox {
  /** `url` is the spec's {base_url}, without a slash at its end. */
  groupA: { url: string; key: string };
  /** `url` is the spec's {api_base_url}, which ends in /v1. */
  groupB: { url: string; key: string };
  /** Units spent as this upstream counts them, since the start or the last reset and over all months. */
  spent(): Spent;
  /** Every request in order of arrival. */
  requests(): readonly SandboxRequest[];
  /** Highest number of requests in flight at once for any one URL (health excluded). */
  peakSameUrl(): number;
  /** The answer that a direct request would get now, without HTTP, key, meters, cost or fault. */
  answer(group: 'A' | 'B', path: string): { status: number; body: unknown };
  /** Sets a fault; the function returned clears it. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  /** Forgets requests, counters and faults. */
  reset(): void;
  set(options: Partial<Settings>): void;
  /** Stops serving, and closes open sockets. */
  close(): Promise<void>;
}

interface Parts {
  settings: Settings;
  meters: Meters;
  faults: Faults;
  requestLog: RequestLog;
  handlers: Record<'A' | 'B', GroupHandler>;
  /** Empties the cache of bodies, since some depend on the settings. */
  clearCache: () => void;
}

type CompleteOptions = Required<Omit<SandboxOptions, keyof Settings>> & Settings;

/** The options without those that are undefined, so that a default takes their place. */
function withoutUndefined<T extends object>(options: T): Partial<T> {
  const result: Partial<T> = { ...options };
  for (const key in result) if (result[key] === undefined) delete result[key];
  return result;
}

function withDefaults(options: SandboxOptions): CompleteOptions {
  return {
    ...UNLIMITED,
    port: 0,
    host: '127.0.0.1',
    seed: 1,
    now: Date.now,
    keyA: 'sandbox_a0c5f1b2d3e4',
    keyB: 'sandbox_b7d8e9f0a1b2',
    ...withoutUndefined(options),
  };
}

function createParts({ seed, now, keyA, keyB, ...rest }: CompleteOptions): Parts {
  const settings: Settings = rest;
  const meters = createMeters(settings, now);
  const rates = createRates(seed);
  const dialects = { A: dialectA(keyA), B: dialectB(keyB, meters) };
  const bodiesA = createBodies(endpointsA(seed, rates), dialects.A.errorFields, now);
  const bodiesB = createBodies(endpointsB(seed, rates, settings), dialects.B.errorFields, now);
  const handlerOf = (dialect: Dialect, { find }: typeof bodiesA) =>
    createGroupHandler(dialect, find, meters);
  return {
    settings,
    meters,
    faults: createFaults(),
    requestLog: createRequestLog(),
    handlers: { A: handlerOf(dialects.A, bodiesA), B: handlerOf(dialects.B, bodiesB) },
    clearCache: bodiesB.clear,
  };
}

function controls({ settings, meters, faults, requestLog, handlers, clearCache }: Parts) {
  return {
    spent: meters.spent,
    requests: requestLog.requests,
    peakSameUrl: requestLog.peakSameUrl,
    answer(group: 'A' | 'B', path: string) {
      const { status, body } = handlers[group].preview(path);
      const parsed: unknown = JSON.parse(body.toString());
      return { status, body: parsed };
    },
    fault: faults.add,
    clearFaults: faults.clear,
    reset() {
      meters.reset();
      requestLog.reset();
      faults.clear();
    },
    set(options: Partial<Settings>) {
      Object.assign(settings, withoutUndefined(options));
      clearCache();
    },
  };
}

/** Starts a sandbox; it listens when the promise resolves. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const completeOptions = withDefaults(options);
  const parts = createParts(completeOptions);
  const mounts: Mount[] = [
    { group: 'A', prefix: '/a', handler: parts.handlers.A },
    { group: 'B', prefix: '/b/v1', handler: parts.handlers.B },
  ];
  const { faults, requestLog, settings } = parts;
  const { now, host, port, keyA, keyB } = completeOptions;
  const server = { mounts, faults, requestLog, settings, now };
  const { origin, close } = await listen(server, host, port);
  return {
    groupA: { url: `${origin}/a`, key: keyA },
    groupB: { url: `${origin}/b/v1`, key: keyB },
    ...controls(parts),
    close,
  };
}
