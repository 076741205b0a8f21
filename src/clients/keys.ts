import { hash, randomBytes } from 'node:crypto';
import { KEY_PREFIX } from './key-shape.ts';

const RANDOM_BYTES = 32;

/** A key that nobody had before. Only its digest is ever stored. */
export function newKey(): string {
  return KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
}

/**
 * SHA-256 in hex, lower case. A fast digest will do: nobody guesses 32 random bytes, and it is made for
 * every request.
 */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}
