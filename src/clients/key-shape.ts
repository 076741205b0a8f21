/** What keys look like that this gateway makes (keys.ts). Keys made elsewhere may look otherwise. */

/** Tells people, and programs that look for leaked secrets, whose key it is. */
export const KEY_PREFIX = 'mg_';
/** 32 bytes as base64url, which needs no escaping in a header or an address. */
const SHAPE = /mg_[A-Za-z0-9_-]{43}/;

/** Whether there is what looks like a key anywhere in it: people paste them beside other text, too. */
export const containsKey = (text: string): boolean => SHAPE.test(text);
