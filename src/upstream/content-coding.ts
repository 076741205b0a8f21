import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

/**
 * Bodies that come compressed. None is asked for, but what stands before an upstream may compress all
 * that passes, and such an answer is paid like any other.
 */

type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/**
 * The text of a body of this `content-encoding` (RFC 9110 section 8.4). One that cannot be decoded, or has more than
 * `maxBytes`, is read as it is, and so is no answer.
 */
export async function decodedText(
  body: Uint8Array,
  codings: string,
  maxBytes: number,
): Promise<string> {
  let bytes = body;
  for (const coding of codings.toLowerCase().split(',').toReversed()) {
    const decode = DECODERS.get(coding.trim());
    if (decode) bytes = await decode(bytes, { maxOutputLength: maxBytes }).catch(() => body);
  }
  return new TextDecoder().decode(bytes);
}
