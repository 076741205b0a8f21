import { crc32 } from 'node:zlib';

/** Everything that the answer to a request depends on, as it was sent. */
export interface RequestKey {
  readonly text: string;
  /**
   * Of the text, and what it is looked up by: most requests were never seen before, and to look up a long text in a map,
   * V8 first takes it into its table of all names, which takes microseconds. 31 bits: V8 has larger numbers in objects
   * of their own, which are slow to look up.
   */
  readonly hash: number;
}

export const requestKey = (text: string): RequestKey => ({ text, hash: crc32(text) >>> 1 });
