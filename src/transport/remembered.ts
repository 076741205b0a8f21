import { createBoundedMap } from '../bounded-map.ts';

/** Clients have few different headers. */
const MOST_HEADERS = 100;

interface Known<T> {
  header: string;
  meaning: T;
}

/** The same function, which works out once what the value of a header means. */
export function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = createBoundedMap<string, Known<T>>(MOST_HEADERS);
  /** Most headers are those of the request before: to compare two texts takes less than to look one up. */
  let last: Known<T> | undefined;
  return (header) => {
    if (last?.header === header) return last.meaning;
    last = known.get(header);
    if (!last) known.set(header, (last = { header, meaning: read(header) }));
    return last.meaning;
  };
}
