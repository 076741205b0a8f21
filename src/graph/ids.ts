/**
 * Global ids: `Type:part:part…`, each part encoded. An id holds all that is needed to fetch again.
 * Parts may be any text: half a surrogate pair, which no URL can hold, becomes U+FFFD.
 */

/** Needs no encoding. So it is with nearly all parts, and ids are made for every record received. */
const PLAIN = /^[\w.~-]*$/;

export function nodeId(type: string, ...parts: readonly string[]): string {
  let id = type;
  for (const part of parts)
    id += `:${PLAIN.test(part) ? part : encodeURIComponent(part.toWellFormed())}`;
  return id;
}
