import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

const MIB = 1024 * 1024;

/** What a parsed and checked document weighs, by the characters of its text, as measured. */
const BYTES_PER_CHARACTER = 80;

/**
 * Texts that have been parsed, for Yoga. They are bounded in bytes, not in number: anybody may send
 * long ones, and no two need be the same.
 */
export function createParseCaches() {
  return {
    documentCache: new LRUCache<string, DocumentNode>({
      maxSize: 64 * MIB,
      sizeCalculation: (_document, text) => 1 + text.length * BYTES_PER_CHARACTER,
    }),
    /** Errors hold the text, and little else. */
    errorCache: new LRUCache<string, object>({
      maxSize: 4 * MIB,
      sizeCalculation: (_error, text) => 1024 + text.length * 4,
    }),
  };
}
