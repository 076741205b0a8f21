import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODINGS, compressHead, withTail } from '../../src/pipeline/compression.ts';

/** Two separately compressed pieces are one text for every decompressor. */

const DECOMPRESS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 }),
  // Long ones are compressed in another way.
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 2000 }))
    .map(([piece, times]) => piece.repeat(times)),
);

test.each(CODINGS)('%s', async (coding) => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
      async (head, tails) => {
        const compressed = await compressHead(coding, head);
        // The same head serves any number of tails.
        for (const tail of [...tails, '}'])
          expect(DECOMPRESS[coding](withTail(coding, compressed, tail)).toString()).toBe(
            Buffer.from(head).toString() + Buffer.from(tail).toString(),
          );
      },
    ),
    { numRuns: 150 },
  );
});

test.each(CODINGS)('%s: a tail of any length', async (coding) => {
  const compressed = await compressHead(coding, 'head');
  for (const length of [1, 15, 255, 256, 4095, 65_535]) {
    const tail = 'x'.repeat(length);
    const whole = DECOMPRESS[coding](withTail(coding, compressed, tail)).toString();
    expect(whole).toBe(`head${tail}`);
  }
});
