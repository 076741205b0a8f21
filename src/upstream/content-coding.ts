import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

/**
 * Bodies that come compressed. None is asked for, but what stands before an upstream may compress all
 * that passes, and such an answer is paid like any other.
 */

type Decode = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  // Some send it without its head (RFC 9110 section 8.4.1.2).
  ['deflate', (body, options) => inflated(body, options).catch(() => inflatedRaw(body, options))],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** What the headers of a reply say of its body. */
interface Encoded {
  /** `content-encoding` (RFC 9110 section 8.4); empty where there is none. */
  codings: string;
  /** Of `content-type`. */
  charset: string | undefined;
}

/**
 * The text of a body. One that cannot be decoded, or has more than `maxBytes`, is read as it is, and so is no answer.
 */
export async function decodedText(
  body: Uint8Array,
  { codings, charset }: Encoded,
  maxBytes: number,
): Promise<string> {
  let bytes = body;
  for (const coding of codings.toLowerCase().split(',').toReversed()) {
    const decode = DECODERS.get(coding.trim());
    if (decode) bytes = await decode(bytes, { maxOutputLength: maxBytes }).catch(() => body);
  }
  return decoderOf(bytes, charset).decode(bytes);
}

/**
 * All JSON is UTF-8, and many servers state another charset by default (RFC 8259 sections 8.1 and 11): that counts only
 * where the bytes are not UTF-8. In UTF-16 one of the first two is zero, since JSON begins with ASCII; in UTF-8 none is.
 */
function decoderOf(bytes: Uint8Array, charset: string | undefined): TextDecoder {
  if (isUtf8(bytes) && !bytes.subarray(0, 2).includes(0)) return new TextDecoder();
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
