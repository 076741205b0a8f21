import { expect, test } from 'vitest';
import { createNameMemory, type KnownNames } from '../../src/cache/known-names.ts';
import { createStore } from '../../src/cache/store.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';

const TTL = 10;

/** A memory of names; those in capital letters have no record. */
function open(maxNames: number) {
  const world = { now: 0 };
  const store = createStore(1e9);
  const memory = createNameMemory<string, { name: string }>({
    namespace: store.namespace<KnownNames<{ name: string }>>(),
    aging: unstretched(() => world.now),
    requests: { endpoint: { name: 'names' }, keyOf: (key) => key },
    ttl: TTL,
    maxNames,
    mayShare: () => true,
  });
  /** Files an answer that came at `at`; returns the size of the store. */
  function file(names: string[], { bytes = 100, at = world.now } = {}): number {
    const found = names.filter((name) => name === name.toLowerCase());
    const value = new Map(found.map((name) => [name, { name }]));
    memory.file('key', names, { value, origin: originAt(at), bytes, warnings: [] }, at);
    return store.size();
  }
  const operation = startOperation({ maxRequests: 1, deadline: Infinity });
  const useful = (key: string, likely: string[] = []) => memory.useful(key, likely, operation);
  return { world, memory, file, useful };
}

test('the size of a key in memory includes all answers that its names came from', () => {
  const { file } = open(500);
  const many = Array.from({ length: 100 }, (_, i) => `name ${i}`);
  const before = file(many, { bytes: 100_000 });
  expect(before).toBeGreaterThan(100_000);
  expect(file(['one more'], { bytes: 1000 })).toBeGreaterThan(before);
  expect(file(many, { bytes: 100_000 }) - before).toBeLessThan(0.02 * before);
});

test('as many names are remembered as fit into two requests: those without a record are forgotten first, then the oldest', () => {
  const { memory, file, useful } = open(2);
  const remembered = () => [...memory.of('key').keys()];
  // Asking again makes `a` the newest.
  for (const name of ['a', 'b', 'a', 'X', 'c', 'd']) file([name]);
  expect(remembered()).toEqual(['b', 'a', 'c', 'd']);
  for (const name of ['b', 'e']) file([name]);
  expect(remembered()).toEqual(['c', 'd', 'b', 'e']);
  expect(useful('other key')).toEqual(['c', 'd', 'b', 'e']);
});

test('an answer that came earlier does not replace a later one', () => {
  const { memory, file } = open(2);
  file(['a'], { at: 5 });
  file(['a', 'b'], { at: 4 });
  expect([...memory.of('key').values()].map(({ at }) => at)).toEqual([5, 4]);
});

test('of what may be asked for along with others, what has expired is the most useful', () => {
  const { world, file, useful } = open(2);
  file(['a']);
  world.now += TTL / 2;
  file(['b']);
  world.now += TTL / 2;
  expect(useful('key')).toEqual(['b', 'a']);
});

test('a name that was refused is not asked for along with others until it is found again', () => {
  const { memory, file, useful } = open(2);
  file(['a']);
  memory.noteRefused(new Set(['a']));
  expect(useful('other key', ['a', 'b'])).toEqual(['b']);
  for (const name of ['a', 'c', 'd', 'e', 'f']) file([name]);
  expect(useful('other key', ['a'])).toEqual(['a', 'c', 'd', 'e', 'f']);
});
