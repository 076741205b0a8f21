import { expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import { open, SECRET, timeoutFor } from '../harness.ts';

/** What each upstream fault costs, what is served meanwhile, and how the gateway recovers by itself. */

interface Case {
  fault: Fault;
  /** Requests that the first query during the fault sends, and the units that they cost. */
  requests: number;
  units: number;
}

const CASES: [what: string, it: Case][] = [
  ['a 503', { fault: { kind: 'status', status: 503, body: SECRET }, requests: 2, units: 0 }],
  ['no answer', { fault: { kind: 'hang' }, requests: 2, units: 0 }],
  ['a reset before the answer', { fault: { kind: 'reset' }, requests: 2, units: 0 }],
  ['a reset in mid-body', { fault: { kind: 'reset-mid-body' }, requests: 2, units: 2 }],
  ['a truncated JSON', { fault: { kind: 'truncated-json' }, requests: 1, units: 1 }],
  ['a 401', { fault: { kind: 'status', status: 401 }, requests: 1, units: 0 }],
];
const DATASETS = [
  { group: 'A', meter: 'fx', field: 'fxRates' },
  { group: 'B', meter: 'credits', field: 'cryptoAssets' },
] as const;
const RUNS = CASES.flatMap(([what, scenario]) =>
  DATASETS.map((dataset) => ({ name: `${what} of ${dataset.field}`, ...scenario, ...dataset })),
);

interface List {
  list: { provenance: { stale: boolean } };
}

test.each(RUNS)(
  '$name: stale data meanwhile, one attempt per pause, fresh data after it',
  async (run) => {
    const { ask, sandbox, clock } = await open({ env: timeoutFor(run.fault.kind) });
    const query = `{ list: ${run.field} { provenance { stale } } }`;
    const readState = async () => {
      const before = sandbox.requests().length;
      const { data, errors, extensions } = await ask<List>(query);
      expect(errors).toEqual([]);
      const { stale } = data.list.provenance;
      const requests = sandbox.requests().length - before;
      return { stale, requests, units: extensions.usage[run.meter].used };
    };
    expect(await readState()).toEqual({ stale: false, requests: 1, units: 1 });
    clock.advance(120_000);
    sandbox.fault({ ...run.fault, group: run.group });
    expect(await readState()).toEqual({ stale: true, requests: run.requests, units: run.units });
    // Nothing more is sent during the pause.
    expect(await readState()).toEqual({ stale: true, requests: 0, units: 0 });
    sandbox.clearFaults();
    clock.advance(30_000);
    expect(await readState()).toEqual({ stale: false, requests: 1, units: 1 });
    expect(await readState()).toEqual({ stale: false, requests: 0, units: 0 });
  },
);

test.each([
  { meter: 'fx', field: 'fxRates', used: { fxQuota: 1 }, filled: { fxQuota: null } },
  { meter: 'credits', field: 'cryptoAssets', used: { credits: 1 }, filled: { credits: null } },
])(
  '$meter used up upstream: stale data, one attempt a minute, fresh data once there are units',
  async (run) => {
    const { ask, sandbox, clock } = await open(run.used);
    const query = `{ list: ${run.field} { provenance { stale } } }`;
    const readState = async () => {
      const before = sandbox.requests().length;
      const { data } = await ask<List>(query);
      return { stale: data.list.provenance.stale, requests: sandbox.requests().length - before };
    };
    expect(await readState()).toEqual({ stale: false, requests: 1 });
    clock.advance(120_000);
    await readState();
    expect(await readState()).toEqual({ stale: true, requests: 0 });
    clock.advance(61_000);
    expect(await readState()).toEqual({ stale: true, requests: 1 });
    expect(await readState()).toEqual({ stale: true, requests: 0 });
    sandbox.set(run.filled);
    clock.advance(61_000);
    expect(await readState()).toEqual({ stale: false, requests: 1 });
  },
);
