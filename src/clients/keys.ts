import { hash, randomBytes } from 'node:crypto';

/** Tells people, and programs that look for leaked secrets, whose key it is. */
const PREFIX = 'mg_';
const RANDOM_BYTES = 32;
/** 32 bytes as base64url, which needs no escaping in a header or an address. */
const SHAPE = /^mg_[A-Za-z0-9_-]{43}$/;

/** A key that nobody had before. Only its digest is ever stored. */
export function newKey(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
}

/**
 * SHA-256 in hex, lower case. A fast digest will do: nobody guesses 32 random bytes, and it is made for
 * every request.
 */
export function digestOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Whether it looks like one of `newKey`. Keys made elsewhere may look otherwise. */
export function isKeyShape(text: string): boolean {
  return SHAPE.test(text);
}
