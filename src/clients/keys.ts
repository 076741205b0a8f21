import { hash, randomBytes } from 'node:crypto';
import { KEY_PREFIX } from './key-shape.ts';

const RANDOM_BYTES = 32;

/** Returns a new random key. Only its digest is ever stored. */
export function newKey(): string {
  return KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
}

/**
 * Returns the SHA-256 of a key in lower-case hex. A fast digest is enough, since nobody guesses 32 random bytes,
 * and it is computed for every request whose key is not known yet.
 */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}
