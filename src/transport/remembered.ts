import { createBoundedMap } from '../bounded-map.ts';

/** Maximum values that are remembered of a header: clients send few different ones. */
const MAX_HEADER_VALUES = 100;

interface Known<T> {
  text: string;
  meaning: T;
}

/** Returns `read` with a bounded memory, so that the meaning of a text is rarely worked out twice. */
export function remembered<T>(
  read: (text: string) => T,
  maxTexts = MAX_HEADER_VALUES,
): (text: string) => T {
  const known = createBoundedMap<string, Known<T>>(maxTexts);
  /** Most texts equal those of the previous request: comparing two strings is faster than looking one up. */
  let last: Known<T> | undefined;
  return (text) => {
    if (last?.text === text) return last.meaning;
    last = known.get(text);
    if (!last) known.set(text, (last = { text, meaning: read(text) }));
    return last.meaning;
  };
}
