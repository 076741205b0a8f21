import { createBoundedMap } from '../bounded-map.ts';

/** Clients have few different headers. */
const MOST_HEADERS = 100;

/** The same function, which works out once what the value of a header means. */
export function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = createBoundedMap<string, { meaning: T }>(MOST_HEADERS);
  return (header) => {
    const one = known.get(header);
    if (one) return one.meaning;
    const meaning = read(header);
    known.set(header, { meaning });
    return meaning;
  };
}
