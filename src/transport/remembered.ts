import { createBoundedMap } from '../bounded-map.ts';

/** Maximum values that are remembered of a header: clients send few different ones. */
const MAX_HEADER_VALUES = 100;

interface Known<T> {
  header: string;
  meaning: T;
}

/** Returns `read` with a bounded memory, so that the meaning of a header's value is rarely worked out twice. */
export function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = createBoundedMap<string, Known<T>>(MAX_HEADER_VALUES);
  /** Most headers equal those of the previous request: comparing two strings is faster than looking one up. */
  let last: Known<T> | undefined;
  return (header) => {
    if (last?.header === header) return last.meaning;
    last = known.get(header);
    if (!last) known.set(header, (last = { header, meaning: read(header) }));
    return last.meaning;
  };
}
