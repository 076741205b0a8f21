import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { open, reserve } from './opened.ts';

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
