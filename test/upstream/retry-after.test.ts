import { expect, onTestFinished, test, vi } from 'vitest';
import { retryAfterMs } from '../../src/upstream/outcome.ts';

test.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])(
  'in %s, every form of a date in Retry-After is read as UTC',
  (zone) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TZ', zone);
    const date = 'Mon, 30 Nov 2026 19:34:50 GMT';
    for (const at of [
      'Mon, 30 Nov 2026 19:35:00 GMT',
      'Monday, 30-Nov-26 19:35:00 GMT',
      'Mon Nov 30 19:35:00 2026',
    ])
      expect(retryAfterMs({ 'retry-after': at, date }, 0)).toBe(10_000);
  },
);
