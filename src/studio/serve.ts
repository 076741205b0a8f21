import { encodingFor } from '../encoding.ts';
import { type Encoding, findStudioFiles, type StudioFile, type StudioFiles } from './files.ts';

/** The Studio over HTTP: the page that a browser gets at the endpoint, and what it loads. */

/** The part of an HTTP request that is needed here; the transports that call this have all of it. */
interface FileRequest {
  headers: {
    'if-none-match'?: string | undefined;
    'accept-encoding'?: string | string[] | undefined;
  };
}

interface FileReply {
  status: number;
  headers: Record<string, string | number>;
  body: readonly Buffer[];
}

export interface Studio {
  /** Answers a browser that opens the endpoint. */
  page(request: FileRequest): Promise<FileReply>;
  /** Answers with a file that the page loads; undefined if there is none at that path below STUDIO_PATH. */
  asset(path: string, request: FileRequest): Promise<FileReply> | undefined;
}

/** Below the endpoint, so that a proxy that forwards the one forwards the other. */
export const STUDIO_PATH = '/graphql/studio/';

/** Whatever the page is made to load, it cannot connect to any other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The editor (Monaco) writes its colors and the positions of its lines into style elements and attributes
  // at run time; it supports neither nonces nor hashes for them.
  "style-src 'self' 'unsafe-inline'",
  // The same editor loads some of its icons from data URLs.
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = {
  vary: 'accept, accept-encoding',
  // Browsers keep the page and revalidate it each time: an answer without a body is quick.
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': POLICY,
};

const ASSET = {
  vary: 'accept-encoding',
  // A file with other content has another name.
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
};

const HOW_TO_BUILD = 'The Studio has not been built: npm run build:studio';

/** Warns once, through `warn`, if the Studio has not been built; everything else works without it. */
export function createStudio(warn: (line: string) => void, places?: string[]): Studio {
  const files = findStudioFiles(places);
  if (!files) warn(HOW_TO_BUILD);
  return {
    page: (request) => (files ? pageReply(files, request) : Promise.resolve(NOT_BUILT)),
    asset(path, request) {
      const file = files?.assets.get(path.slice(STUDIO_PATH.length));
      return file && fileReply(file, ASSET, request);
    },
  };
}

const NOT_BUILT: FileReply = {
  status: 503,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: [Buffer.from(`${HOW_TO_BUILD}\nQueries are answered all the same.\n`)],
};

async function pageReply({ page, etag }: StudioFiles, request: FileRequest): Promise<FileReply> {
  const headers = { ...PAGE, etag };
  if (request.headers['if-none-match'] === etag)
    return { status: 304, headers: { 'content-type': page.type, ...headers }, body: [] };
  return fileReply(page, headers, request);
}

async function fileReply(
  { type, body }: StudioFile,
  headers: FileReply['headers'],
  { headers: sent }: FileRequest,
): Promise<FileReply> {
  const accepted = String(sent['accept-encoding'] ?? '');
  const encoding: Encoding = encodingFor(accepted, ['br', 'gzip']) ?? 'identity';
  const bytes = await body(encoding).catch(() => undefined);
  if (!bytes) return NOT_BUILT;
  const coding = encoding === 'identity' ? undefined : { 'content-encoding': encoding };
  const content = { 'content-type': type, 'content-length': bytes.length };
  return { status: 200, headers: { ...content, ...headers, ...coding }, body: [bytes] };
}
