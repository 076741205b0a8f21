import { expect, test } from 'vitest';
import { createNameLists } from '../../src/cache/name-list.ts';
import { HOUR_MS } from '../../src/time.ts';

/** What refusals teach about how long a request may be. Every name is 100 bytes long, and so is a request without any. */

const EMPTY = 100;
const MAX_BYTES = 8000;

function open() {
  const world = { now: 0 };
  const lists = createNameLists({
    monotonic: () => world.now,
    maxNames: 500,
    maxBytes: MAX_BYTES,
    bytesOf: () => 100,
    mayShare: () => true,
  });
  const named = (bytes: number) => {
    const count = (bytes - EMPTY) / 100;
    return lists.only(new Set(Array.from({ length: count }, (_, i) => `name ${i}`)), EMPTY);
  };
  /** The size of the longest list that may be asked for now. */
  function longest(): number {
    const list = lists.begin('first', EMPTY);
    for (let i = 0; lists.add(list, `other ${i}`); i += 1);
    return list.bytes;
  }
  return { world, lists, named, longest };
}

test('after a refusal, requests stay as short as the longest that was answered instead, for an hour', () => {
  const { world, lists, named, longest } = open();
  expect(longest()).toBe(MAX_BYTES);
  lists.learn(named(4000), [named(3000), named(1100)]);
  expect(longest()).toBe(3000);
  world.now += HOUR_MS - 1;
  expect(longest()).toBe(3000);
  world.now += 1;
  expect(longest()).toBe(MAX_BYTES);
});

test('a refused request that was short was not refused for its length', () => {
  const { lists, named, longest } = open();
  lists.learn(named(1000), [named(500)]);
  expect(longest()).toBe(MAX_BYTES);
  expect(lists.replaceRefused(named(1000), EMPTY)).toBeUndefined();
});

test('a long one is replaced by requests for fewer names each', () => {
  const { lists, named } = open();
  const replaced = lists.replaceRefused(named(4000), EMPTY);
  expect(replaced?.map(({ bytes }) => bytes)).toEqual([3100, 1000]);
});

test('a request that is no longer than one answered within an hour was not refused for its length', () => {
  const { world, lists, named } = open();
  lists.noteAnswered([...named(1700).names], EMPTY);
  lists.noteAnswered(['short'], EMPTY);
  expect(lists.replaceRefused(named(1700), EMPTY)).toBeUndefined();
  expect(lists.replaceRefused(named(1800), EMPTY)).toHaveLength(2);
  world.now += HOUR_MS;
  expect(lists.replaceRefused(named(1700), EMPTY)).toHaveLength(2);
});
