import { hash } from 'node:crypto';

/** The id of a text where nobody chose another one: SHA-256 in lower-case hex. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

const PREFIX = 'sha256:';
const HASH = /^[0-9a-f]{32,}$/;

/** Generators differ in the prefix and in case: `sha256:AB…` and `ab…` are the same document. */
export function normaliseId(id: string): string {
  const lower = id.toLowerCase();
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}

/** Whether a normalised id is a hash (MD5, SHA-1, SHA-256) and not a name that somebody gave. */
export function isHash(normalised: string): boolean {
  return HASH.test(normalised);
}
