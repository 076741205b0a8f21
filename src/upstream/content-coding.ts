import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

/**
 * Decodes compressed bodies. Compression is never requested, but a proxy in front of the upstream may
 * compress everything, and such an answer is paid for like any other.
 */

type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  // Some servers omit the zlib header (RFC 9110 section 8.4.1.2).
  ['deflate', (body, options) => inflated(body, options).catch(() => inflatedRaw(body, options))],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** What the headers of a reply say about its body. */
interface Encoded {
  /** `content-encoding` (RFC 9110 section 8.4); empty if there is none. */
  codings: string;
  /** The charset in `content-type`; undefined if none is stated. */
  charset: string | undefined;
}

/**
 * Returns the text of a body. A coding that does not fit, or results in more than `maxBytes`, is ignored.
 */
export async function decodedText(
  body: Uint8Array,
  { codings, charset }: Encoded,
  maxBytes: number,
): Promise<string> {
  let bytes = body;
  for (const coding of codings.toLowerCase().split(',').toReversed()) {
    const decode = DECODERS.get(coding.trim());
    if (decode) bytes = await decode(bytes, { maxOutputLength: maxBytes }).catch(() => bytes);
  }
  return decoderOf(bytes, charset).decode(bytes);
}

/**
 * JSON is UTF-8, yet many servers state another charset by default (RFC 8259 sections 8.1 and 11). That charset counts
 * only if the bytes are not UTF-8. In UTF-16 one of the first two bytes is zero, since JSON begins with ASCII; in UTF-8
 * neither is.
 */
function decoderOf(bytes: Uint8Array, charset: string | undefined): TextDecoder {
  if (isUtf8(bytes) && !bytes.subarray(0, 2).includes(0)) return new TextDecoder();
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
