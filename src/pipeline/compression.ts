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
 * Compresses answers in two pieces: the data, once for all clients, and after them the account, uncompressed
 * and different for each client. All three codings allow this in one stream: the compressor is flushed after
 * the data, so that they end at a byte boundary, and a block of uncompressed bytes is appended.
 */

/** Content codings (RFC 9110 section 8.4.1), the fastest first; the sizes are nearly the same. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Minimum length of an answer to be compressed: a shorter one fits into a packet or two anyway. */
const MIN_LENGTH = 1024;
/** Maximum characters of the account: a block holds at most 64 kB, and a character takes up to three bytes. */
const MAX_TAIL_LENGTH = Math.floor(65_535 / 3);

/** Whether an answer is long enough to gain by compression, and its account short enough for one block. */
export const isWorthCompressing = (head: Buffer | string, tail: string): boolean =>
  head.length + tail.length >= MIN_LENGTH && tail.length <= MAX_TAIL_LENGTH;

/** The compressed beginning of a text, to which any end can be appended. */
export interface CompressedHead {
  bytes: Buffer;
  /** Checksum of the uncompressed text, for the end of a gzip stream; 0 for other codings. */
  crc: number;
  /** Bytes of the uncompressed text. */
  length: number;
}

/** Returns the head of one answer in a coding. */
export type CompressedHeads = (coding: Coding) => Maybe<CompressedHead>;

/** Longer texts, in bytes, are compressed off the event loop. */
const MAX_SYNC_BYTES = 16_384;

/** Compresses `head`, which must not be empty; returns a promise if it is long. */
export function compressHead(coding: Coding, head: Buffer | string): Maybe<CompressedHead> {
  const text = typeof head === 'string' ? Buffer.from(head) : head;
  const { prefix, compress, compressSync } = CODERS[coding];
  const done = (bytes: Buffer): CompressedHead => ({
    bytes: prefix.length > 0 ? Buffer.concat([prefix, bytes]) : bytes,
    crc: coding === 'gzip' ? crc32(text) : 0,
    length: text.length,
  });
  return whenReady(text.length > MAX_SYNC_BYTES ? compress(text) : compressSync(text), done);
}

/** Returns a whole stream: the compressed head, followed by the tail. */
export function withTail(coding: Coding, head: CompressedHead, tail: string): Buffer {
  const text = Buffer.from(tail);
  return Buffer.concat([head.bytes, ...CODERS[coding].end(text, head)]);
}

interface Coder {
  /** Bytes before the compressed ones. */
  prefix: Buffer;
  compress(text: InputType): Promise<Buffer>;
  compressSync(text: InputType): Buffer;
  /** Returns the end of a stream: a text of less than 64 kB, and the bytes around it. */
  end(text: Buffer, head: CompressedHead): Buffer[];
}

const EMPTY = Buffer.alloc(0);
const BROTLI = {
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    // Higher qualities take several times as long and save a few percent.
    [constants.BROTLI_PARAM_QUALITY]: 5,
    // Answers are rarely as long as the default window of 4 MB, which would be allocated each time.
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};
const ZSTD = { finishFlush: constants.ZSTD_e_flush };
const DEFLATE = { finishFlush: constants.Z_SYNC_FLUSH };

const CODERS: Record<Coding, Coder> = {
  br: {
    prefix: EMPTY,
    compress: (text) => promisify(brotliCompress)(text, BROTLI),
    compressSync: (text) => brotliCompressSync(text, BROTLI),
    end: (text) => [brotliBlock(text.length), text, BROTLI_END],
  },
  zstd: {
    prefix: EMPTY,
    compress: (text) => promisify(zstdCompress)(text, ZSTD),
    compressSync: (text) => zstdCompressSync(text, ZSTD),
    end: (text) => [zstdLastBlock(text.length), text],
  },
  gzip: {
    // Compressed by deflate; no flags, no time, of unknown origin (RFC 1952 section 2.3).
    prefix: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]),
    compress: (text) => promisify(deflateRaw)(text, DEFLATE),
    compressSync: (text) => deflateRawSync(text, DEFLATE),
    end: (text, head) => [deflateLastBlock(text.length), text, gzipEnd(text, head)],
  },
};

/**
 * RFC 7932 section 9.2, from the lowest bit: not the last block; its length less one, in four nibbles; not
 * compressed; zeros up to the next byte.
 */
function brotliBlock(length: number): Buffer {
  const bits = ((length - 1) << 3) | (1 << 19);
  return Buffer.from([bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff]);
}

/** A last block, which is empty. */
const BROTLI_END = Buffer.from([3]);

/** RFC 8878 section 3.1.1.2, from the lowest bit: the last block, of uncompressed bytes; its length. */
function zstdLastBlock(length: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((length << 3) | 1, 0, 3);
  return header;
}

/** RFC 1951 section 3.2.4: the last block, of uncompressed bytes; its length, and the length inverted. */
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
