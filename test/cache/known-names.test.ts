import { expect, test } from 'vitest';
import { createNameMemory, type KnownNames } from '../../src/cache/known-names.ts';
import { createStore } from '../../src/cache/store.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';

test('the size of a key in memory includes all answers that its names came from', () => {
  const store = createStore(1e9);
  const memory = createNameMemory<string, { name: string }>({
    namespace: store.namespace<KnownNames<{ name: string }>>(),
    aging: unstretched(() => 0),
    requests: { endpoint: { name: 'names' }, keyOf: (key) => key },
    ttl: 10,
    maxNames: 500,
    mayShare: () => true,
  });
  const file = (names: string[], bytes: number) => {
    const value = new Map(names.map((name) => [name, { name }]));
    memory.file('key', names, { value, origin: originAt(0), bytes, warnings: [] }, 0);
    return store.size();
  };
  const many = Array.from({ length: 100 }, (_, i) => `name ${i}`);
  const before = file(many, 100_000);
  expect(before).toBeGreaterThan(100_000);
  expect(file(['one more'], 1000)).toBeGreaterThan(before);
  expect(file(many, 100_000) - before).toBeLessThan(0.02 * before);
});
