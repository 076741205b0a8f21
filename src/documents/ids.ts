import { hash } from 'node:crypto';

/** Returns the default id of a text: its SHA-256 in lower-case hex. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

const PREFIX = 'sha256:';
const HASH = /^[0-9a-f]{32,}$/;

/** Normalizes an id. Generators differ in prefix and case: `sha256:AB…` and `ab…` are the same document. */
export function normalizeId(id: string): string {
  const lower = id.toLowerCase();
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}

/** Whether a normalized id is a hash (MD5, SHA-1, SHA-256) and not a name that somebody chose. */
export function isHash(normalized: string): boolean {
  return HASH.test(normalized);
}
