/** A stream for one subscriber. */
export interface Channel<T> {
  push(value: T): void;
  stream: AsyncIterableIterator<T>;
}

/**
 * Holds at most `capacity` values that have not been read yet, and forgets the oldest beyond that: a
 * slow reader costs no memory. `onEnd` is called once, when the stream ends.
 */
export function createChannel<T>(capacity: number, onEnd: () => void): Channel<T> {
  const unread: T[] = [];
  let waiting: ((result: IteratorResult<T>) => void) | undefined;
  let isOver = false;

  function end(): Promise<IteratorResult<T>> {
    if (!isOver) onEnd();
    isOver = true;
    waiting?.({ done: true, value: undefined });
    waiting = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  return {
    push(value) {
      if (waiting) {
        waiting({ done: false, value });
        waiting = undefined;
        return;
      }
      if (!isOver) unread.push(value);
      if (unread.length > capacity) unread.shift();
    },
    stream: {
      next() {
        const [value] = unread.splice(0, 1);
        if (isOver) return Promise.resolve({ done: true, value: undefined });
        if (value !== undefined) return Promise.resolve({ done: false, value });
        return new Promise((resolve) => {
          waiting = resolve;
        });
      },
      return: end,
      throw: end,
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
