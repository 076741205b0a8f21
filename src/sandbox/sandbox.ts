import { dialectA, dialectB } from './dialects.ts';
import { createFaults, type Fault, type Faults } from './faults.ts';
import { createGate, type Dialect, type Gate } from './gate.ts';
import { endpointsA } from './group-a/endpoints.ts';
import { createRates } from './group-a/rates.ts';
import { endpointsB } from './group-b/endpoints.ts';
import { createJournal, type Journal, type SandboxRequest } from './journal.ts';
import { createMeters, type Meters, type Spent } from './meters.ts';
import { createPages } from './pages.ts';
import { listen, type Mount } from './server.ts';
import { type Settings, UNLIMITED } from './settings.ts';

export type { Fault } from './faults.ts';
export type { SandboxRequest } from './journal.ts';

/** How a sandbox starts. Settings that are null are unlimited, which is their default. */
export interface SandboxOptions extends Partial<Settings> {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 1. The same seed, moment and URL always give the same body. */
  seed?: number;
  /** Epoch milliseconds; default Date.now. */
  now?: () => number;
  keyA?: string;
  keyB?: string;
}

/** Both upstream APIs of the spec on one loopback port, and what only tests may see of them. */
export interface Sandbox {
  /** `url` is the spec's {base_url}, without a slash at its end. */
  groupA: { url: string; key: string };
  /** `url` is the spec's {api_base_url}, which ends in /v1. */
  groupB: { url: string; key: string };
  /** Units spent as this upstream counts them, since the start or the last reset and over all months. */
  spent(): Spent;
  /** Every request in order of arrival. */
  requests(): readonly SandboxRequest[];
  /** Most requests that were in flight at once for any one URL (health excluded). */
  peakSameUrl(): number;
  /** What a direct request would be answered now, without HTTP, key, meters, cost or fault. */
  answer(group: 'A' | 'B', path: string): { status: number; body: unknown };
  /** Sets a fault; the function returned clears it. */
  fault(fault: Fault): () => void;
  clearFaults(): void;
  /** Forgets requests, counters and faults. */
  reset(): void;
  set(options: Partial<Settings>): void;
  /** Stops serving and ends open sockets too. */
  close(): Promise<void>;
}

interface Parts {
  settings: Settings;
  meters: Meters;
  faults: Faults;
  journal: Journal;
  gates: Record<'A' | 'B', Gate>;
  /** Forgets pages made under other settings. */
  forget: () => void;
}

type Wired = Required<Omit<SandboxOptions, keyof Settings>> & Settings;

/** Options that are undefined are not given. */
function given<T extends object>(options: T): Partial<T> {
  const result: Partial<T> = { ...options };
  for (const key in result) if (result[key] === undefined) delete result[key];
  return result;
}

function withDefaults(options: SandboxOptions): Wired {
  return {
    ...UNLIMITED,
    port: 0,
    host: '127.0.0.1',
    seed: 1,
    now: Date.now,
    keyA: 'sandbox_a0c5f1b2d3e4',
    keyB: 'sandbox_b7d8e9f0a1b2',
    ...given(options),
  };
}

function wire({ seed, now, keyA, keyB, ...rest }: Wired): Parts {
  const settings: Settings = rest;
  const meters = createMeters(settings, now);
  const rates = createRates(seed);
  const dialects = { A: dialectA(keyA), B: dialectB(keyB, meters) };
  const pagesA = createPages(endpointsA(seed, rates), dialects.A.errorFields, now);
  const pagesB = createPages(endpointsB(seed, rates, settings), dialects.B.errorFields, now);
  const gateOf = (dialect: Dialect, { find }: typeof pagesA) => createGate(dialect, find, meters);
  return {
    settings,
    meters,
    faults: createFaults(),
    journal: createJournal(),
    gates: { A: gateOf(dialects.A, pagesA), B: gateOf(dialects.B, pagesB) },
    forget: () => pagesB.forget(),
  };
}

function controls({ settings, meters, faults, journal, gates, forget }: Parts) {
  return {
    spent: meters.spent,
    requests: journal.requests,
    peakSameUrl: journal.peakSameUrl,
    answer(group: 'A' | 'B', path: string) {
      const { status, body } = gates[group].preview(path);
      const parsed: unknown = JSON.parse(body.toString());
      return { status, body: parsed };
    },
    fault: faults.add,
    clearFaults: faults.clear,
    reset() {
      meters.reset();
      journal.reset();
      faults.clear();
    },
    set(options: Partial<Settings>) {
      Object.assign(settings, given(options));
      forget();
    },
  };
}

/** Starts a sandbox; it listens when the promise resolves. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const wired = withDefaults(options);
  const parts = wire(wired);
  const mounts: Mount[] = [
    { group: 'A', prefix: '/a', gate: parts.gates.A },
    { group: 'B', prefix: '/b/v1', gate: parts.gates.B },
  ];
  const { faults, journal, settings } = parts;
  const service = { mounts, faults, journal, now: wired.now, latencyMs: () => settings.latencyMs };
  const { origin, close } = await listen(service, wired.host, wired.port);
  return {
    groupA: { url: `${origin}/a`, key: wired.keyA },
    groupB: { url: `${origin}/b/v1`, key: wired.keyB },
    ...controls(parts),
    close,
  };
}
