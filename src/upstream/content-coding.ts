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
  charset: string;
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
  return decoderOf(charset).decode(bytes);
}

/** All JSON is UTF-8 (RFC 8259 section 8.1), unless a charset that is known says otherwise. */
function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
