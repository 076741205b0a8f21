/** What the keys look like that this gateway makes (keys.ts). Keys made elsewhere may look different. */

/** Tells people, and programs that scan for leaked secrets, where a key comes from. */
export const KEY_PREFIX = 'mg_';
/** 32 bytes as base64url, which needs no escaping in a header or an address. */
const SHAPE = /mg_[A-Za-z0-9_-]{43}/;

/** Whether a text contains anything that looks like a key: people paste keys next to other text, too. */
export const containsKey = (text: string): boolean => SHAPE.test(text);

/** Returns a text with a placeholder for each such key, for messages that may repeat what somebody has pasted. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(new RegExp(SHAPE, 'g'), '(a key)');
