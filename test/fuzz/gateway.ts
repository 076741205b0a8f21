import * as fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { METERS } from '../../src/meters.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access } from '../harness.ts';
import type { Reply } from '../reply.ts';
import { sameTimesToLive } from '../times-to-live.ts';

/** The gateway as a process of its own, over a sandbox that counts what is spent. */

/** For another seed: `FUZZ_SEED=1 npx vitest run test/fuzz`. fast-check prints it if a case fails. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);

/** Nothing is cached: every operation that runs spends. */
const NO_CACHE = sameTimesToLive('0');

export async function openGateway() {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const gateway = startProcess({ ...access(sandbox), ...NO_CACHE });
  const url = await gateway.url();
  const spent = () => METERS.reduce((sum, meter) => sum + sandbox.spent()[meter], 0);
  return {
    port: Number(new URL(url).port),
    spent,
    stderr: () => gateway.output.stderr,
    /** Checks that it is still the same process, and serves. */
    async expectHealthy() {
      expect(gateway.child.exitCode).toBeNull();
      expect(gateway.child.signalCode).toBeNull();
      const response = await fetch(`${url}/health`);
      expect(await response.json()).toEqual({ status: 'ok' });
    },
  };
}

/** Returns the units that replies report as spent. */
export function unitsOf(replies: readonly Reply[]): number {
  let units = 0;
  for (const { extensions } of replies)
    for (const meter of METERS) units += extensions.usage[meter].used;
  return units;
}

/** Checks a property in `numRuns` cases; a failure names the seed and the case. A case that hangs is not shrunk. */
export async function check<T>(
  cases: fc.Arbitrary<T>,
  numRuns: number,
  property: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, property), { seed: SEED, numRuns, endOnFailure: true });
}
