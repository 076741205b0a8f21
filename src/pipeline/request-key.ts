import { crc32 } from 'node:zlib';

/** Everything that the answer to a request depends on, as it was sent. */
export interface RequestKey {
  readonly text: string;
  /**
   * Hash of the text, by which it is looked up: most requests are new, and before V8 looks up a long string in a map,
   * it interns the string, which takes microseconds. 31 bits: V8 stores larger numbers as objects of their own, which
   * are slow to look up.
   */
  readonly hash: number;
}

export const requestKey = (text: string): RequestKey => ({ text, hash: crc32(text) >>> 1 });
