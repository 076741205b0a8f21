import { expect, test } from 'vitest';
import { createStore } from '../../src/cache/store.ts';

/** Bytes that each value costs besides its own. */
const OVERHEAD = 256;

const bytesFor = (values: number, bytes: number) => values * (bytes + OVERHEAD);

test('the least recently used value is evicted first, whichever namespace it belongs to', () => {
  const store = createStore(bytesFor(3, 100));
  const [one, other] = [store.namespace<number>(), store.namespace<number>()];
  one.set('a', 1, 100);
  other.set('a', 2, 100);
  one.set('b', 3, 100);
  expect(one.get('a')).toBe(1);
  other.set('b', 4, 100);
  expect([one.get('a'), other.get('a'), one.get('b'), other.get('b')]).toEqual([
    1,
    undefined,
    3,
    4,
  ]);
});

test('a large value takes the place of several small ones', () => {
  const store = createStore(bytesFor(4, 100));
  const namespace = store.namespace<number>();
  for (let i = 0; i < 4; i += 1) namespace.set(`small ${i}`, i, 100);
  namespace.set('large', 9, 100 + bytesFor(1, 100));
  expect([0, 1, 2, 3].map((i) => namespace.get(`small ${i}`))).toEqual([
    undefined,
    undefined,
    2,
    3,
  ]);
  expect(namespace.get('large')).toBe(9);
  expect(store.size()).toBe(bytesFor(4, 100));
});

test('a replaced value counts with its new size', () => {
  const store = createStore(10_000);
  const namespace = store.namespace<string>();
  namespace.set('key', 'long', 5000);
  namespace.set('key', 'short', 10);
  expect(namespace.get('key')).toBe('short');
  expect(store.size()).toBe(10 + OVERHEAD);
});

test('a value larger than the whole store is not kept, nor is the one that it was to replace', () => {
  const store = createStore(1000);
  const namespace = store.namespace<string>();
  namespace.set('key', 'small', 100);
  namespace.set('key', 'huge', 1001);
  expect(namespace.get('key')).toBeUndefined();
  expect(store.size()).toBe(0);
});

test('the same key in two namespaces is two keys', () => {
  const store = createStore(bytesFor(2, 100));
  const [one, other] = [store.namespace<number>(), store.namespace<number>()];
  one.set('USD', 1, 100);
  other.set('USD', 2, 100);
  expect([one.get('USD'), other.get('USD')]).toEqual([1, 2]);
  expect(store.size()).toBe(bytesFor(2, 100));
});

test('a mark stays when its value is replaced, and is gone once it is evicted', () => {
  const values = createStore(1000).namespace<string>();
  values.set('key', 'first', 10);
  values.setMark('key', 7);
  values.set('key', 'second', 10);
  expect(values.mark('key')).toBe(7);
  values.set('other', 'large', 700);
  expect(values.mark('key')).toBeUndefined();
});
