import { assert, asyncProperty, array, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import { createIntake } from '../../src/upstream/intake.ts';

/** Long answers that arrive together are read one per round of the event loop, for one client after the other. */

const SHORT = 'x'.repeat(1000);
const LONG = 'x'.repeat(100_000);

/** An intake, rounds that the test ends, and the clients whose answers were read in each round. */
function opened() {
  const read: string[][] = [[]];
  let end = () => {};
  const intake = createIntake(() => new Promise((resolve) => (end = resolve)));
  return {
    read,
    async bring(client: string, body: string | Error): Promise<void> {
      await intake(body, new Set([client]));
      read.at(-1)!.push(client);
    },
    async endRound(): Promise<void> {
      read.push([]);
      end();
      for (let i = 0; i < 10; i += 1) await undefined;
    },
  };
}

test('one long answer is read in each round, the next one for the client that has waited longest', async () => {
  const { read, bring, endRound } = opened();
  for (const client of ['flood', 'flood', 'flood', 'other']) void bring(client, LONG);
  await Promise.resolve();
  for (let i = 0; i < 4; i += 1) await endRound();
  expect(read).toEqual([['flood'], ['other'], ['flood'], ['flood'], []]);
});

test('short answers, and failures, wait for nothing', async () => {
  const { read, bring } = opened();
  for (const body of [LONG, SHORT, LONG, SHORT, new Error('cut off')]) void bring('a', body);
  await Promise.resolve();
  expect(read).toEqual([['a', 'a', 'a', 'a']]);
});

test('every answer is read, and never two long ones in one round', async () => {
  const property = asyncProperty(
    array(constantFrom('a', 'b', 'c', 'end of round'), { maxLength: 40 }),
    async (steps) => {
      const { read, bring, endRound } = opened();
      const clients = steps.filter((step) => step !== 'end of round');
      for (const step of steps)
        await (step === 'end of round' ? endRound() : void bring(step, LONG));
      for (const _ of clients) await endRound();
      expect(read.every((inRound) => inRound.length <= 1)).toBe(true);
      expect(read.flat().toSorted()).toEqual(clients.toSorted());
    },
  );
  await assert(property);
});
