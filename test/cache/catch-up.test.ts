import { expect, test } from 'vitest';
import { UNSHARED_FLIGHT, type Shared } from '../../src/shared/shared.ts';
import { answerFor, open, TTL } from './names.ts';

test('an answer of another process ages while it is read', async () => {
  const shared: Shared = {
    read: () => stored.splice(0),
    recent: () => [],
    claim: () => UNSHARED_FLIGHT,
    note: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
  const { ask, asked, world } = open({ shared });
  const stored = [
    {
      asked: ['a'],
      status: 200,
      body: '',
      retrievedAt: 0,
      number: 1,
      age: 0,
      get brought() {
        world.now += TTL;
        return answerFor(['a'], 0);
      },
    },
  ];
  expect(await ask('USD', ['a'])).toMatchObject([{ value: { tick: TTL }, stale: false }]);
  expect(asked).toHaveLength(1);
});
