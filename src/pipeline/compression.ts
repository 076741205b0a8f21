import {
  brotliCompress,
  brotliCompressSync,
  constants,
  crc32,
  deflateRaw,
  deflateRawSync,
  type InputType,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { promisify } from 'node:util';
import { type Maybe, whenReady } from '../maybe.ts';

/**
 * Compresses answers in two pieces: the data once for all who ask, and behind them each time, as it is,
 * the account of who asks. All three codings allow that in one stream: the compressor is flushed after the
 * data, so that they end with a byte, and a block that holds bytes as they are is put behind them.
 */

/** Content codings (RFC 9110 section 8.4.1), the one first that takes the least time for nearly the same size. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Less is sent as fast as it is: one packet or two. */
const LEAST_LENGTH = 1024;
/** A block holds no more than 64 kB, and a character of JavaScript is three bytes at most. */
const LONGEST_TAIL = Math.floor(65_535 / 3);

export const isWorthCompressing = (head: Buffer | string, tail: string): boolean =>
  head.length + tail.length >= LEAST_LENGTH && tail.length <= LONGEST_TAIL;

/** The beginning of a compressed text, which can be ended by any other one. */
export interface CompressedHead {
  bytes: Buffer;
  /** Of the text, for the end of a gzip stream. */
  crc: number;
  length: number;
}

/** The head of one answer in each coding. */
export type CompressedHeads = (coding: Coding) => Maybe<CompressedHead>;

/** More than this is compressed beside the event loop. */
const LONG_BYTES = 16_384;

/** Compresses `head`, which is not empty; as a promise where it is long. */
export function compressHead(coding: Coding, head: Buffer | string): Maybe<CompressedHead> {
  const text = typeof head === 'string' ? Buffer.from(head) : head;
  const { begin, compress, compressSync } = CODERS[coding];
  const done = (bytes: Buffer): CompressedHead => ({
    bytes: begin.length > 0 ? Buffer.concat([begin, bytes]) : bytes,
    crc: coding === 'gzip' ? crc32(text) : 0,
    length: text.length,
  });
  return whenReady(text.length > LONG_BYTES ? compress(text) : compressSync(text), done);
}

/** A whole stream: the compressed head, and the tail behind it. */
export function withTail(coding: Coding, head: CompressedHead, tail: string): Buffer {
  const text = Buffer.from(tail);
  return Buffer.concat([head.bytes, ...CODERS[coding].end(text, head)]);
}

interface Coder {
  /** What stands before the compressed bytes. */
  begin: Buffer;
  compress(text: InputType): Promise<Buffer>;
  compressSync(text: InputType): Buffer;
  /** What ends a stream with a text of less than 64 kB. */
  end(text: Buffer, head: CompressedHead): Buffer[];
}

const NONE = Buffer.alloc(0);
const BROTLI = {
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    // Higher ones take several times as long and save a few percent.
    [constants.BROTLI_PARAM_QUALITY]: 5,
    // Answers are not as long as the 4 MB that it would make ready for.
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};
const ZSTD = { finishFlush: constants.ZSTD_e_flush };
const DEFLATE = { finishFlush: constants.Z_SYNC_FLUSH };

const CODERS: Record<Coding, Coder> = {
  br: {
    begin: NONE,
    compress: (text) => promisify(brotliCompress)(text, BROTLI),
    compressSync: (text) => brotliCompressSync(text, BROTLI),
    end: (text) => [brotliBlock(text.length), text, BROTLI_END],
  },
  zstd: {
    begin: NONE,
    compress: (text) => promisify(zstdCompress)(text, ZSTD),
    compressSync: (text) => zstdCompressSync(text, ZSTD),
    end: (text) => [zstdLastBlock(text.length), text],
  },
  gzip: {
    // Compressed by deflate; no flags, no time, of unknown origin (RFC 1952 section 2.3).
    begin: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]),
    compress: (text) => promisify(deflateRaw)(text, DEFLATE),
    compressSync: (text) => deflateRawSync(text, DEFLATE),
    end: (text, head) => [deflateLastBlock(text.length), text, gzipEnd(text, head)],
  },
};

/**
 * RFC 7932 section 9.2, from the lowest bit: not the last block; its length in four nibbles, less one; it
 * is not compressed; zeros up to the next byte.
 */
function brotliBlock(length: number): Buffer {
  const bits = ((length - 1) << 3) | (1 << 19);
  return Buffer.from([bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff]);
}

/** The last block, and it is empty. */
const BROTLI_END = Buffer.from([3]);

/** RFC 8878 section 3.1.1.2, from the lowest bit: the last block, of bytes as they are, its length. */
function zstdLastBlock(length: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((length << 3) | 1, 0, 3);
  return header;
}

/** RFC 1951 section 3.2.4: the last block, of bytes as they are; its length, and that inverted. */
function deflateLastBlock(length: number): Buffer {
  const header = Buffer.alloc(5);
  header[0] = 1;
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(~length & 0xff_ff, 3);
  return header;
}

/** RFC 1952 section 2.3.1: checksum and length of the whole text. */
function gzipEnd(text: Buffer, head: CompressedHead): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(text, head.crc), 0);
  end.writeUInt32LE((head.length + text.length) >>> 0, 4);
  return end;
}
