import { expect, test } from 'vitest';
import { createChannel } from '../../src/graph/channel.ts';

function open(capacity: number) {
  const ends = { count: 0 };
  const { push, stream } = createChannel<number>(capacity, () => (ends.count += 1));
  return { push, stream, ends };
}

async function read(stream: AsyncIterator<number>, count: number): Promise<number[]> {
  const values: number[] = [];
  while (values.length < count) values.push((await stream.next()).value);
  return values;
}

test('values come in order, whether the reader waits for them or they for the reader', async () => {
  const { push, stream } = open(10);
  const first = stream.next();
  push(1);
  expect(await first).toEqual({ done: false, value: 1 });
  push(2);
  push(3);
  expect(await read(stream, 2)).toEqual([2, 3]);
});

test('a reader who is slow misses the oldest beyond the capacity', async () => {
  const { push, stream } = open(2);
  for (const value of [1, 2, 3, 4]) push(value);
  expect(await read(stream, 2)).toEqual([3, 4]);
});

test('a capacity of one keeps the latest only', async () => {
  const { push, stream } = open(1);
  for (let value = 0; value <= 1000; value += 1) push(value);
  const waiting = read(stream, 2);
  push(7);
  expect(await waiting).toEqual([1000, 7]);
});

test('ending tells a waiting reader, and says so once', async () => {
  const { stream, ends } = open(1);
  const waiting = stream.next();
  await stream.return?.();
  await stream.return?.();
  await stream.throw?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(ends.count).toBe(1);
});

test('after its end nothing is kept and nothing comes', async () => {
  const { push, stream, ends } = open(5);
  push(1);
  await stream.return?.();
  push(2);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(ends.count).toBe(1);
});

test('a loop that is left ends the stream', async () => {
  const { push, stream, ends } = open(5);
  push(1);
  for await (const value of stream) {
    expect(value).toBe(1);
    break;
  }
  expect(ends.count).toBe(1);
});
