import { expect, test } from 'vitest';
import { createKeyWatch } from '../../src/observe/key-watch.ts';

test('a request that was not sent, since another process made it, does not show that the key is accepted', () => {
  const { note, refusedBy } = createKeyWatch(() => 0);
  const ended = { group: 'A', meter: 'fx', status: undefined, wasSent: false } as const;
  note({ ...ended, result: 'UPSTREAM_AUTHENTICATION', status: 401, wasSent: true });
  note({ ...ended, result: 'ok' });
  expect(refusedBy()).toEqual(['A']);
  note({ ...ended, result: 'ok', status: 200, wasSent: true });
  expect(refusedBy()).toEqual([]);
});
