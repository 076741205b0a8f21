import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { MAY_BE_CHARGED_MS } from '../../src/shared/account.ts';
import { temporaryFolder } from '../harness.ts';
import { open, reserve, usedOf } from './opened.ts';

/** What is counted while the system's clock is set back. */

test('a request that timed out is given back as soon as a balance shows that it was not charged', () => {
  const opened = open({ limits: { ...perMeter(() => undefined), credits: 50 } });
  const spend = (remaining: number) => reserve(opened, 'credits')!.end({ units: 1, remaining });
  spend(99);
  for (let i = 0; i < 3; i += 1) reserve(opened, 'credits')!.endUnanswered();
  opened.at('2026-11-20T11:00:00+03:00');
  for (const remaining of [97, 96]) spend(remaining);
  // One of the three was charged.
  expect(opened.ledger.states().credits.usedThisMonth).toBe(4);
});

test('a process that died while its clock was ahead keeps nobody from giving back what was not charged', () => {
  const dataDir = temporaryFolder();
  const dead = open({ dataDir });
  dead.at('2026-11-25T12:00:00+03:00');
  reserve(dead, 'fx');
  const living = open({ dataDir, timeoutsCount: true });
  reserve(living, 'fx')?.end({ units: 1, remaining: 100 });
  reserve(living, 'fx')?.endUnanswered();
  living.advance(MAY_BE_CHARGED_MS);
  reserve(living, 'fx')?.end({ units: 1, remaining: 99 });
  expect(usedOf(living)).toBe(3);
});
