import { expect, test } from 'vitest';
import { createStream } from '../../src/graph/streams.ts';

/** A stream, functions that add values to it, and how often it has started and ended. */
function open(capacity: number) {
  const count = { starts: 0, ends: 0 };
  let add: (value: number) => void = () => undefined;
  let end: () => void = () => undefined;
  const stream = createStream<number>(capacity, (...given) => {
    [add, end] = given;
    count.starts += 1;
    return () => (count.ends += 1);
  });
  return { push: (value: number) => add(value), end: () => end(), stream, count };
}

/** The same, once the reader has read the value 0. */
async function openRead(capacity: number) {
  const opened = open(capacity);
  const first = opened.stream.next();
  opened.push(0);
  expect(await first).toEqual({ done: false, value: 0 });
  return opened;
}

async function read(stream: AsyncIterator<number>, count: number): Promise<number[]> {
  const values: number[] = [];
  while (values.length < count) values.push((await stream.next()).value);
  return values;
}

const DONE = { done: true, value: undefined };

test('values arrive in order, whether the reader waits for them or they for the reader', async () => {
  const { push, stream } = await openRead(10);
  push(1);
  push(2);
  expect(await read(stream, 2)).toEqual([1, 2]);
  const [third, fourth] = [stream.next(), stream.next()];
  push(3);
  push(4);
  expect([await third, await fourth]).toEqual([3, 4].map((value) => ({ done: false, value })));
});

test('values present at the start are read first', async () => {
  const stream = createStream<number>(10, (push) => {
    for (const value of [1, 2, 3]) push(value);
    return () => undefined;
  });
  expect(await read(stream, 3)).toEqual([1, 2, 3]);
});

test('a slow reader misses the oldest values beyond the capacity', async () => {
  const { push, stream } = await openRead(2);
  for (const value of [1, 2, 3, 4]) push(value);
  expect(await read(stream, 2)).toEqual([3, 4]);
});

test('a capacity of one keeps only the latest value', async () => {
  const { push, stream } = await openRead(1);
  for (let value = 0; value <= 10_000; value += 1) push(value);
  const waiting = read(stream, 2);
  push(7);
  expect(await waiting).toEqual([10_000, 7]);
});

test('the end is reported to a waiting reader, once', async () => {
  const { stream, count } = await openRead(1);
  const waiting = stream.next();
  expect(await stream.return?.()).toEqual(DONE);
  await stream.return?.();
  await stream.throw?.();
  expect(await waiting).toEqual(DONE);
  expect(count).toEqual({ starts: 1, ends: 1 });
});

test('the source of the stream can end it, too', async () => {
  const { end, stream, count } = await openRead(1);
  const waiting = stream.next();
  end();
  expect(await waiting).toEqual(DONE);
  expect(count.ends).toBe(1);
});

test('after its end nothing is kept and nothing arrives', async () => {
  const { push, stream, count } = await openRead(5);
  push(1);
  await stream.return?.();
  push(2);
  expect(await stream.next()).toEqual(DONE);
  expect(count.ends).toBe(1);
});

test('a loop that is left ends the stream', async () => {
  const { push, stream, count } = await openRead(5);
  push(1);
  for await (const value of stream) {
    expect(value).toBe(1);
    break;
  }
  expect(count.ends).toBe(1);
});

test('a stream that was never read never starts, and so leaves nothing behind', async () => {
  const { stream, count } = open(1);
  await stream.return?.();
  expect(await stream.next()).toEqual(DONE);
  expect(count).toEqual({ starts: 0, ends: 0 });
});
