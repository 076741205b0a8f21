import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { ABOUT, findRedundant } from './asked.ts';
import type { Asked, UpstreamReply } from './shared.ts';

/** How an answer is stored: a head that describes it, and its body, compressed if that pays. */

interface Packed {
  /** JSON. */
  head: string;
  body: Uint8Array;
}

const askedSchema = z.compile(z.union([ABOUT.all, ABOUT.days, ABOUT.names]));

const headSchema = z.compile(
  z.object({
    asked: askedSchema,
    status: z.int(),
    retrievedAt: z.number(),
    isEmpty: z.boolean().optional(),
    isCompressed: z.boolean(),
  }),
);

/** Maximum size of one answer, as a share of the room for all answers. */
export const MAX_ANSWER_SHARE = 0.25;
/** Minimum length of a body to be compressed: below it, decompressing takes longer than reading the bytes saved. */
const MIN_COMPRESSED_LENGTH = 4096;
/** Maximum size of a body compressed synchronously: about 3 ms, less than waiting for a worker thread's result. */
const MAX_SYNC_BYTES = 524_288;

const compressAsync = promisify(zstdCompress);
/** The checksum reveals damage; the lowest level is the fastest, and for JSON as good as the others. */
const PARAMETERS = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

export async function pack({ body, ...about }: UpstreamReply): Promise<Packed> {
  const isCompressed = body.length >= MIN_COMPRESSED_LENGTH;
  const head = JSON.stringify({ ...about, isCompressed });
  const bytes = Buffer.from(body);
  if (!isCompressed) return { head, body: bytes };
  if (bytes.length <= MAX_SYNC_BYTES) return { head, body: zstdCompressSync(bytes, PARAMETERS) };
  return { head, body: await compressAsync(bytes, PARAMETERS) };
}

/** Returns the answer; undefined if it cannot be read because it was damaged or something else wrote it. */
export function unpack({ head, body }: Packed): UpstreamReply | undefined {
  const { success, data } = headSchema.safeParse(parseJson(head));
  if (!success) return undefined;
  const { isCompressed, ...about } = data;
  try {
    const bytes = isCompressed ? zstdDecompressSync(body) : body;
    return { ...about, body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() };
  } catch {
    return undefined;
  }
}

/** Returns which stored answers of a key (newest first) need not be kept. Those with unreadable heads stay. */
export function findRedundantStored<S extends Pick<Packed, 'head'>>(stored: readonly S[]): S[] {
  const readable = stored.flatMap((one) => {
    const { data } = headSchema.safeParse(parseJson(one.head));
    return data ? { ...one, asked: data.asked, isEmpty: data.isEmpty } : [];
  });
  return findRedundant(readable);
}

export function readAsked(text: string): Asked | undefined {
  const { success, data } = askedSchema.safeParse(parseJson(text));
  return success ? data : undefined;
}
