import { expect, test } from 'vitest';
import { createTurns } from '../../src/execution/turns.ts';
import { allotResources } from '../../src/graph/resources.ts';
import { createTurnLengths } from '../../src/graph/turn-lengths.ts';

/** Returns a function that starts operations, and the names of the operations in the order of their turns. */
function open() {
  const turns = createTurns();
  const order: string[] = [];
  const limits = {
    maxValuesPerOperation: Infinity,
    maxAnswerBytes: Infinity,
    maxProcessorMsPerOperation: Infinity,
  };
  /** Runs an operation of `client` that needs `count` turns one after the other. */
  async function operation(client: string, name: string, count = 1): Promise<void> {
    const resources = allotResources(limits, turns, client);
    for (let i = 0; i < count; i += 1) {
      await turns.wait(resources);
      order.push(name);
      // It continues to work for a while: longer than a turn waits for it.
      for (let step = 0; step < 6; step += 1) await undefined;
    }
  }
  return { operation, order };
}

test('a client with many operations does not delay that of another client', async () => {
  const { operation, order } = open();
  const many = ['a1', 'a2', 'a3', 'a4'].map((name) => operation('a', name));
  await Promise.all([...many, operation('b', 'b1')]);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
});

test('an operation that continues does not wait until all others of its client have begun', async () => {
  const { operation, order } = open();
  await Promise.all([operation('a', 'a1', 2), operation('a', 'a2'), operation('a', 'a3')]);
  // While the first one continues, the second begins; the third comes after both.
  expect(order).toEqual(['a1', 'a2', 'a1', 'a3']);
});

test('turns are short as long as several parties ask, and for a second after', () => {
  const lengthsFor = createTurnLengths();
  const lengthOfRound = (party: string, at: number) => lengthsFor(party, at).round;
  const alone = lengthOfRound('a', 0);
  expect([10, 20].map((at) => lengthOfRound('a', at))).toEqual([alone, alone]);
  const shared = lengthOfRound('b', 30);
  expect(shared).toBeLessThan(alone);
  expect([40, 1029].map((at) => lengthOfRound('b', at))).toEqual([shared, shared]);
  expect(lengthOfRound('b', 1030)).toBe(alone);
});
