/**
 * Global ids: `Type:part:part…`, each part encoded. An id holds everything needed to fetch its object again. Parts may
 * be any text; a lone surrogate, which no URL can hold, becomes U+FFFD.
 */

/** Matches parts that need no encoding, as nearly all do. It saves time: ids are made for every record received. */
const PLAIN = /^[\w.~-]*$/;

export function nodeId(type: string, ...parts: readonly string[]): string {
  let id = type;
  for (const part of parts)
    id += `:${PLAIN.test(part) ? part : encodeURIComponent(part.toWellFormed())}`;
  return id;
}
